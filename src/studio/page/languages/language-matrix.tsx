import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { LanguageCell, LanguageTable } from '../../language-protocol.ts';
import type { LintMark } from '../../protocol.ts';
import { Icon, StateBadge } from '../controls/icon.tsx';
import { Still } from '../controls/still.tsx';
import { useRequest } from '../controls/use-request.ts';
import { formatRoute } from '../route.ts';
import { fetchJson } from '../server.ts';
import { usePage } from '../store.ts';
import { count, spell } from '../wording.ts';
import { languageName } from './language-names.ts';

interface LanguageMatrixProps {
  readonly table: LanguageTable;
  /** Shows the texts of a language. */
  readonly onTexts: (locale: string) => void;
}

/** Width of a picture in CSS pixels. */
const WIDTH = 260;
/** Steps of the moment, so that a second pass finds its pictures in the cache. */
const STEPS = 48;

/** A picture for each language and variant at the same moment, with what a viewer would notice. */
export function LanguageMatrix({ table, onTexts }: LanguageMatrixProps): JSX.Element {
  const { locales, variants, source, cells } = table;
  const [step, setStep] = useState<number | null>(null);
  return (
    <section aria-label="Videos">
      <label class="language-moment">
        Moment
        <input
          type="range"
          min={0}
          max={STEPS}
          value={step ?? STEPS / 2}
          aria-valuetext={step === null ? 'poster' : `${Math.round((step / STEPS) * 100)} %`}
          onInput={({ currentTarget }) => setStep(currentTarget.valueAsNumber)}
        />
        <button type="button" disabled={step === null} onClick={() => setStep(null)}>
          Poster
        </button>
      </label>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the table. */}
      <div class="languages" tabIndex={0}>
        <table>
          <thead hidden={variants.length === 1 && variants[0] === ''}>
            <tr>
              <th scope="col">Language</th>
              {variants.map((variant) => (
                <th key={variant} scope="col">
                  {variant}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {locales.map((locale) => (
              <tr key={locale}>
                <th scope="row">
                  {languageName(locale)}
                  <br />
                  <small class="language-tag">{locale}</small>
                  {locale !== source && (
                    <p>
                      <button type="button" class="language-button" onClick={() => onTexts(locale)}>
                        Texts
                      </button>
                    </p>
                  )}
                </th>
                {variants.map((variant) => {
                  const cell = cells.find((found) => found.locale === locale && found.variant === variant);
                  return (
                    <td key={variant}>
                      {cell === undefined ? (
                        <p class="language-none">No video: it has errors, or is left out</p>
                      ) : (
                        <Cell cell={cell} step={step} />
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Cell({ cell, step }: { readonly cell: LanguageCell; readonly step: number | null }): JSX.Element {
  const { id, missing, fingerprint, width, height, frameCount, posterFrame } = cell;
  const card = usePage(({ server }) => server?.videos.find((video) => video.id === id) ?? null);
  const findings = useRequest(id, fingerprint, () => fetchJson<LintMark[]>('lint', { id: id! }));
  const frame = step === null ? posterFrame : Math.round((step / STEPS) * (frameCount - 1));
  const shown = Math.min(WIDTH, Math.round((WIDTH * 0.75 * width) / height));
  const picture = (
    <span class="language-picture" style={{ width: `${shown}px`, aspectRatio: `${width} / ${height}` }}>
      {fingerprint !== null && <Still fingerprint={fingerprint} frame={frame} width={shown} isCut />}
    </span>
  );
  if (id === null) {
    return (
      <div class="language-cell is-waiting">
        {picture}
        <span class="badge state-waiting">Waits: {missing}</span>
      </div>
    );
  }
  return (
    <a class="language-cell" href={formatRoute({ kind: 'video', id, panel: null })}>
      <span class="hidden">{id}: </span>
      {picture}
      {card !== null && <StateBadge card={card} />}
      <Findings lint={findings.value} isRefused={findings.error !== null} />
    </a>
  );
}

interface FindingsProps {
  /** Null while it is checked. */
  readonly lint: readonly LintMark[] | null;
  readonly isRefused: boolean;
}

/** What a viewer would notice, in a few words each. */
function Findings({ lint, isRefused }: FindingsProps): JSX.Element | null {
  if (isRefused) return <span class="language-checking">not checked</span>;
  if (lint === null) return <span class="language-checking">checking…</span>;
  const codes = new Map<string, LintMark[]>();
  for (const mark of lint) codes.set(mark.code, [...(codes.get(mark.code) ?? []), mark]);
  return (
    <>
      {[...codes].map(([code, marks]) => {
        const severity = marks.some((mark) => mark.severity === 'error') ? 'error' : 'warning';
        return (
          <span
            key={code}
            class={`language-finding ${severity}`}
            title={marks.map(({ message }) => message).join('\n')}
          >
            <Icon name={severity} size={12} />
            {marks.length === 1 ? spell(code) : count(marks.length, spell(code))}
          </span>
        );
      })}
    </>
  );
}
