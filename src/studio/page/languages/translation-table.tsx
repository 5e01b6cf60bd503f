import type { JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { LanguageTable, LanguageText, LanguageTranslation } from '../../language-protocol.ts';
import { Still } from '../controls/still.tsx';
import { saveTranslation } from '../edits.ts';
import { Refusal, TextLimit, textLimit, useSavedValue } from '../form/control.tsx';
import { count } from '../wording.ts';
import { languageName, languageOf } from './language-names.ts';

interface TranslationTableProps {
  readonly table: LanguageTable;
  readonly locale: string;
  readonly targets: readonly string[];
  readonly onLocale: (locale: string) => void;
}

/** The texts of a definition with their translation into a language, beside the frame that shows each. */
export function TranslationTable({ table, locale, targets, onLocale }: TranslationTableProps): JSX.Element {
  const { texts } = table;
  return (
    <section class="texts" aria-label="Texts">
      <fieldset class="texts-languages">
        <legend>Texts in</legend>
        {targets.map((target) => (
          <label key={target}>
            <input type="radio" name="language" checked={target === locale} onChange={() => onLocale(target)} />
            {languageName(target)} <small class="language-tag">{doneWords(texts, target)}</small>
          </label>
        ))}
      </fieldset>
      {texts.length === 0 && <p class="calm">No text of this definition is in catalogues or in columns of locales.</p>}
      <ul>
        {texts.map((text) => {
          const translation = text.translations.find((found) => found.locale === locale);
          if (translation === undefined) return null;
          return <Translation key={`${locale} ${text.context}`} table={table} text={text} translation={translation} />;
        })}
      </ul>
    </section>
  );
}

function doneWords(texts: readonly LanguageText[], locale: string): string {
  const all = texts.flatMap(({ translations }) => translations.filter((found) => found.locale === locale));
  return `${all.filter(({ state }) => state === 'translated').length} of ${all.length}`;
}

const STATES = { translated: 'Translated', stale: 'Stale', untranslated: 'Missing' } as const;

interface TranslationProps {
  readonly table: LanguageTable;
  readonly text: LanguageText;
  readonly translation: LanguageTranslation;
}

function Translation({ table, text, translation }: TranslationProps): JSX.Element {
  const { definition, source, cells } = table;
  const { context, label, maxLength, lines } = text;
  const { locale, state, previous, seen, file, cell: csv, readOnly } = translation;
  const id = useId();
  const former = useKnownText(translation.text);
  const { value, error, change, commit, flush } = useSavedValue(translation.text, async (typed) => {
    const request = { definition, locale, context, source: text.text, former: former.text, text: typed };
    await former.become(typed, saveTranslation({ ...request, ...(csv && { cell: { ...csv, path: file } }) }));
  });
  const limit = textLimit(value, maxLength);
  const lineCount = value.split('\n').length;
  const isTooHigh = lines !== null && lineCount > lines;
  const cell = cells.find((found) => found.locale === locale && found.variant === seen?.variant);
  return (
    <li class={`translation is-${state}`}>
      <div class="translation-frame">
        {cell != null && cell.fingerprint !== null && seen !== null ? (
          <Still fingerprint={cell.fingerprint} frame={seen.frame} width={220} />
        ) : (
          <span class="still">Not on a frame</span>
        )}
      </div>
      <div class="translation-text">
        <label for={id}>
          {label}{' '}
          <small class="language-tag" title={csv === undefined ? `${context} in ${file}` : `${csv.column} in ${file}`}>
            {context}
          </small>
        </label>
        <p {...languageOf(source)}>{text.text}</p>
        <div class={limit.isTooLong ? 'text is-too-long' : 'text'}>
          <textarea
            id={id}
            rows={1}
            {...languageOf(locale)}
            value={value}
            readOnly={readOnly !== undefined}
            aria-invalid={limit.isTooLong || isTooHigh || error !== null}
            aria-describedby={`${id}-length ${id}-state`}
            onInput={(event) => change(event.currentTarget.value)}
            onBlur={flush}
          />
          <TextLimit id={`${id}-length`} limit={limit} />
        </div>
        <p class="translation-state" id={`${id}-state`}>
          <b>{STATES[state]}</b>
          {readOnly !== undefined && <span>{readOnly}</span>}
          {lines !== null && (
            <span class={isTooHigh ? 'error' : undefined}>
              {lineCount} of {count(lines, 'line')}
            </span>
          )}
          {previous !== null && (
            <span>
              was <q {...languageOf(source)}>{previous}</q>
            </span>
          )}
          {state === 'stale' && value !== '' && (
            <button type="button" class="language-button" onClick={() => commit(value)}>
              Still right
            </button>
          )}
        </p>
        <Refusal error={error} />
      </div>
    </li>
  );
}

/**
 * The text that the catalogue has when the next edit arrives there: edits are sent in sequence, the next one perhaps before the
 * last is answered. What arrives may be older than the last edit.
 */
function useKnownText(arrived: string) {
  const known = useRef({ text: arrived, sent: new Set<string>() });
  useEffect(() => {
    if (!known.current.sent.has(arrived)) known.current.text = arrived;
  }, [arrived]);
  return {
    get text() {
      return known.current.text;
    },
    async become(text: string, saving: Promise<unknown>): Promise<void> {
      const former = known.current.text;
      known.current.text = text;
      known.current.sent.add(text);
      try {
        await saving;
      } catch (error) {
        if (known.current.text === text) known.current.text = former;
        throw error;
      }
    },
  };
}
