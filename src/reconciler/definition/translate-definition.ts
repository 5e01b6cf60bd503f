import { defined } from '../../kernel/defined.ts';
import { type Diagnostic, type Span, warningAt } from '../../kernel/diagnostic.ts';
import { remembered } from '../../kernel/memory.ts';
import type { TreeNode } from '../../kernel/yaml/tree.ts';
import { boxLines } from '../../template/lottie/slots/lottie-slots.ts';
import { type Catalogue, type SourceText, type Translation, translationOf } from '../locales/catalogue.ts';
import type { LocaleSettings } from '../locales/locale-settings.ts';
import { parentLocales } from '../locales/parent-locales.ts';
import type { Combination } from './matrix.ts';
import type { SceneContext } from './read-scene.ts';
import { mapTexts, nodeAt, type TextPlace } from './texts.ts';

/** Languages of a repository, with their catalogues. */
export interface Languages {
  readonly settings: LocaleSettings;
  /** Returns the catalogue of a locale; null without one. */
  catalogue(locale: string): Catalogue | null;
  /** Receives each text that is looked up, in the order of the definitions. */
  readonly onText?: OnText;
  /** Receives what is wrong with a translation. */
  readonly onProblem: (problem: Diagnostic) => void;
}

/** A text of a definition or a data file, in a locale that needs it. */
export interface FoundText extends Pick<SourceText, 'context' | 'source' | 'label' | 'maxLength' | 'lines'> {
  readonly locale: string;
  readonly at: Span;
}

export type OnText = (text: FoundText) => void;

/** A text that is not translated. */
export interface UntranslatedText {
  readonly key: string;
  readonly state: 'untranslated' | 'stale';
  /** Locale whose text is shown instead, with `missing: fallback`. */
  readonly used: string;
}

/** A definition in the language of a combination. */
export interface TranslatedDefinition {
  readonly combination: Combination;
  /** Scalars whose text is not translated. */
  readonly untranslated: ReadonlyMap<TreeNode, UntranslatedText>;
}

const NOTHING: ReadonlyMap<TreeNode, UntranslatedText> = new Map();

/**
 * Translates the texts of a definition. A text that a locale writes itself is its translation.
 *
 * @param definition id of the definition
 */
export function translateDefinition(
  combination: Combination,
  definition: string,
  languages: Languages | null,
  templates: Pick<SceneContext, 'templates' | 'templateNames'>,
): TranslatedDefinition {
  const { locale } = combination;
  if (languages === null || locale === null || locale === languages.settings.source) {
    return { combination, untranslated: NOTHING };
  }
  const untranslated = new Map<TreeNode, UntranslatedText>();
  const root = mapTexts(combination.root, templates, (place) => {
    const { node, key } = place;
    if (nodeAt(combination.ofVariant, place.path) !== node) return node;
    const context = contextOf(combination, definition, place);
    const { label, max_length: maxLength } = place.editable ?? {};
    languages.onText?.({
      locale,
      context,
      source: node.text,
      at: node.span,
      ...defined({ label, maxLength, lines: linesOf(place, templates) }),
    });
    const { used, ...found } = translate(context, node.text, locale, languages);
    const text = {
      ...node,
      value: found.text ?? node.value,
      text: found.text ?? node.text,
      span: found.at ?? node.span,
      ...(found.at && { entry: found.at }),
    };
    if (found.state !== 'translated') untranslated.set(text, { key, state: found.state, used });
    return text;
  });
  return { combination: { ...combination, root }, untranslated };
}

const linesByEditable = remembered(boxLines);

/** Returns the lines that an editable has room for; undefined if it has no box, or if its template is not known. */
function linesOf({ path, template }: TextPlace, { templates }: Pick<SceneContext, 'templates'>): number | undefined {
  const animation = template === undefined ? undefined : templates.get(template)?.facts?.animation;
  if (animation === undefined) return undefined;
  return linesByEditable(animation).get(path[path.indexOf('resources') + 1] ?? '');
}

/** Returns the name of a text in catalogues. A text that a variant writes is another text. */
export function contextOf({ base, variant }: Combination, definition: string, { path, node, key }: TextPlace): string {
  const isOfVariant = variant !== null && nodeAt(base, path) !== node;
  return `${definition}${isOfVariant ? `/${variant}` : ''}#${key}`;
}

/** A translation, or what is shown instead. */
type Translated = (Translation | { readonly state: 'untranslated' | 'stale'; readonly text?: string }) & {
  readonly text?: string;
  readonly at?: (Translation & { readonly state: 'translated' })['at'];
  /** Locale of the text that is shown. */
  readonly used: string;
};

/** Translates a text; with `missing: fallback` to a parent locale if it has no translation. */
export function translate(
  context: string,
  source: string,
  locale: string,
  { settings, catalogue, onProblem }: Languages,
): Translated {
  const found = translationOf(catalogue(locale), context, source);
  if (found.state === 'translated') {
    const lost = lostPlaceholders(source, found.text);
    if (lost.length > 0) {
      const message = `The translation of ${context} to ${locale} does not have ${lost.join(' and ')}`;
      onProblem(warningAt('placeholder_lost', found.at, message, 'Add it, unless the language needs none'));
    }
    return { ...found, used: locale };
  }
  const parents =
    settings.missing === 'fallback' ? parentLocales(locale).filter((tag) => settings.targets.includes(tag)) : [];
  for (const parent of parents) {
    const inherited = translationOf(catalogue(parent), context, source);
    if (inherited.state === 'translated') return { ...inherited, state: found.state, used: parent };
  }
  return { ...found, used: settings.source };
}

/** Returns the placeholders of a text that its translation does not have. */
function lostPlaceholders(source: string, translation: string): string[] {
  if (!source.includes('${')) return [];
  const kept = new Set(placeholdersIn(translation));
  return [...new Set(placeholdersIn(source))].filter((placeholder) => !kept.has(placeholder));
}

function placeholdersIn(text: string): string[] {
  return [...text.matchAll(/\$\$\{|\$\{([^{}]*)\}/g)].flatMap(([, name]) =>
    name === undefined ? [] : [`\${${name.trim()}}`],
  );
}
