import { type Diagnostic, errorAt, type Span } from '../../kernel/diagnostic.ts';
import { didYouMean } from '../../kernel/hints.ts';
import { child, type MapEntry, type MapNode, type TreeNode, textOf } from '../../kernel/yaml/tree.ts';
import { allLocales, type LocaleSettings } from '../locales/locale-settings.ts';
import { mergeDefinitions } from './merge-definitions.ts';

/** A variant and a locale of a definition. */
export interface Combination {
  readonly variant: string | null;
  readonly locale: string | null;
  /** The definition with the values of the variant and the locale, without `variants` and `locales`. */
  readonly root: MapNode;
  /** The definition with the values of the variant only: what differs from it in `root` is written for the locale. */
  readonly ofVariant: MapNode;
  /** The definition without either: what differs from it in `ofVariant` is written for the variant. */
  readonly base: MapNode;
  /** Parts of the id after the definition and the row. */
  readonly idParts: readonly string[];
  /** Where the variant or locale is written; null without them. */
  readonly at: Span | null;
}

export interface Matrix {
  /** In the order of the definition: variants, then locales. */
  readonly combinations: readonly Combination[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Properties of a definition that neither a variant nor a locale may set. */
const OF_DEFINITION = ['id', 'each', 'extends', 'variants', 'locales'] as const;
const VARIANT = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,50}$/;
/** In the map of locales, all locales of reelform.yaml. */
const ALL = 'all';

/**
 * Returns the variants and locales of an extended definition, each with its values merged: the definition, then the variant,
 * then the locale. Without both there is one combination, the definition itself.
 *
 * @param settings `locales` of reelform.yaml; null without
 */
export function expandMatrix(extended: MapNode, settings: LocaleSettings | null): Matrix {
  const [variantsNode, localesNode] = [child(extended, 'variants'), child(extended, 'locales')];
  if (variantsNode === null && localesNode === null) {
    const itself = { variant: null, locale: null, idParts: [], at: null };
    return { combinations: [{ ...itself, root: extended, ofVariant: extended, base: extended }], diagnostics: [] };
  }
  const diagnostics: Diagnostic[] = [];
  const entries = new Map([...extended.entries].filter(([name]) => name !== 'variants' && name !== 'locales'));
  const base: MapNode = { ...extended, entries };
  const variants = variantsNode === null ? [null] : readVariants(variantsNode, diagnostics);
  const locales = localesNode === null ? [null] : readLocales(localesNode, settings, diagnostics);
  const combinations = variants.flatMap((variant) => {
    const ofVariant = merged(base, variant, diagnostics);
    return locales.map((locale): Combination => {
      const isKept = locale !== null && settings?.ids === 'keep-source' && locale.name === settings.source;
      const idParts = [variant?.name, isKept ? undefined : locale?.name].filter((part) => part !== undefined);
      const root = merged(ofVariant, locale, diagnostics);
      const at = (locale ?? variant)!.at;
      return { variant: variant?.name ?? null, locale: locale?.name ?? null, root, ofVariant, base, idParts, at };
    });
  });
  return { combinations, diagnostics };
}

/** A variant or a locale as written. */
interface Override {
  readonly name: string;
  /** Null without values of its own. */
  readonly values: MapNode | null;
  readonly at: Span;
}

function merged(root: MapNode, override: Override | null, problems: Diagnostic[]): MapNode {
  if (override?.values == null || override.values.entries.size === 0) return root;
  // Keeps the location of the definition for problems with the whole of it.
  return { ...mergeDefinitions(root, override.values, problems), span: root.span };
}

function readVariants(node: TreeNode, problems: Diagnostic[]): Override[] {
  if (node.kind !== 'map') return [];
  const names = [...node.entries.keys()];
  return [...node.entries].flatMap(([name, entry], index) => {
    const { keySpan: at } = entry;
    if (!VARIANT.test(name)) {
      const hint = 'A name may contain letters A–Z, digits, ".", "_" and "-"; at most 50 characters';
      problems.push(errorAt('invalid_id', at, `${JSON.stringify(name)} is not a valid name of a variant`, hint));
      return [];
    }
    if (names.findIndex((earlier) => earlier.toLowerCase() === name.toLowerCase()) < index) {
      const message = `Two variants have the name ${JSON.stringify(name)}, apart from case`;
      problems.push(errorAt('duplicate_id', at, message, 'Rename one of them'));
      return [];
    }
    return [readOverride(`The variant ${name}`, name, entry, problems)];
  });
}

function readLocales(node: TreeNode, settings: LocaleSettings | null, problems: Diagnostic[]): Override[] {
  if (settings === null) {
    const message = 'The definition has "locales", but reelform.yaml has none';
    const hint = 'Add to reelform.yaml: locales: {source: en, targets: [de, fr]}';
    problems.push(errorAt('unknown_locale', node.span, message, hint));
    return [];
  }
  const known = allLocales(settings);
  const check = (name: string, at: Span): boolean => {
    if (known.includes(name)) return true;
    const hint = didYouMean(name, known) ?? `The locales are ${known.join(', ')}; add others to "locales"`;
    problems.push(errorAt('unknown_locale', at, `reelform.yaml has no locale ${JSON.stringify(name)}`, hint));
    return false;
  };
  if (node.kind === 'scalar') {
    if (node.text === ALL) return known.map((name) => ({ name, values: null, at: node.span }));
    return check(node.text, node.span) ? [{ name: node.text, values: null, at: node.span }] : [];
  }
  if (node.kind === 'list') {
    const names = new Map<string, Span>();
    for (const item of node.items) {
      const name = textOf(item);
      if (name === null || !check(name, item.span)) continue;
      if (names.has(name)) {
        problems.push(errorAt('definition_invalid', item.span, `locales contains ${name} twice`, 'Remove it'));
      } else names.set(name, item.span);
    }
    return [...names].map(([name, at]) => ({ name, values: null, at }));
  }
  const all = node.entries.get(ALL);
  const written = new Map([...node.entries].filter(([name, { keySpan }]) => name !== ALL && check(name, keySpan)));
  const chosen = known.filter((name) => all !== undefined || written.has(name));
  return chosen.map((name) => {
    const entry = written.get(name);
    if (entry === undefined) return { name, values: null, at: all!.keySpan };
    return readOverride(`The locale ${name}`, name, entry, problems);
  });
}

function readOverride(
  subject: string,
  name: string,
  { keySpan: at, value }: MapEntry,
  problems: Diagnostic[],
): Override {
  if (value.kind !== 'map') return { name, values: null, at };
  for (const property of OF_DEFINITION) {
    const entry = value.entries.get(property);
    if (entry === undefined) continue;
    const message = `${subject} cannot set ${JSON.stringify(property)}, which belongs to the whole definition`;
    problems.push(errorAt('definition_invalid', entry.keySpan, message, 'Write it beside "variants" and "locales"'));
  }
  const known: readonly string[] = OF_DEFINITION;
  const entries = new Map([...value.entries].filter(([property]) => !known.includes(property)));
  return { name, values: { ...value, entries }, at };
}
