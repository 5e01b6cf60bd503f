import { defined } from '../../kernel/defined.ts';
import { groupBy } from '../../kernel/group-by.ts';
import type { CatalogueUnit, SourceText } from './catalogue.ts';
import { moveCues } from './move-cues.ts';

/** Units of a catalogue after an extraction, in their order, with the numbers of what changed. */
export interface MergedUnits {
  readonly units: readonly CatalogueUnit[];
  readonly added: number;
  /** Texts whose source changed after they were translated. */
  readonly stale: number;
  /** Texts that are no longer used. */
  readonly obsolete: number;
}

/**
 * Brings a catalogue up to date with the texts of the definitions. Translations, comments, states and the order stay. A new text
 * follows the text before it; a text that is no longer used stays as obsolete if it has a translation.
 *
 * @param texts in the order of the definitions, each context once
 * @param options.keepsUnused true if some texts are not known: units without a text stay as they are
 */
export function mergeTexts(
  present: readonly CatalogueUnit[],
  texts: readonly SourceText[],
  { keepsUnused = false }: { readonly keepsUnused?: boolean } = {},
): MergedUnits {
  const former = moveCues(present, texts);
  const known = new Map<string, CatalogueUnit>();
  for (const unit of former) {
    const earlier = known.get(unit.context);
    if (earlier === undefined || (earlier.isObsolete && !unit.isObsolete)) known.set(unit.context, unit);
  }
  const wanted = new Map(texts.map((text) => [text.context, text]));
  const counts = { added: 0, stale: 0, obsolete: 0 };
  const updated = new Map<CatalogueUnit, CatalogueUnit>();
  for (const [context, unit] of known) {
    const text = wanted.get(context);
    if (text === undefined) continue;
    const merged = updateUnit(unit, text);
    if (merged.isStale && !unit.isStale) counts.stale += 1;
    updated.set(unit, merged);
  }
  const kept = former.flatMap((unit): CatalogueUnit[] => {
    const merged = updated.get(unit);
    if (merged !== undefined) return [merged];
    if (keepsUnused) return [unit];
    if (unit.target === '') return [];
    if (!unit.isObsolete) counts.obsolete += 1;
    return [{ ...unit, isObsolete: true }];
  });
  const units = insertNew(kept, texts, known);
  counts.added = units.length - kept.length;
  return { units, ...counts };
}

function updateUnit(unit: CatalogueUnit, text: SourceText): CatalogueUnit {
  const { label, maxLength, lines, still, previous: former, ...rest } = unit;
  const described = { ...rest, ...text, ...defined({ still: text.still ?? still }), isObsolete: false };
  if (unit.target === '') return { ...described, isStale: false };
  if (unit.source === text.source) return { ...described, ...defined({ previous: former }) };
  // The text has become again what was translated.
  if (former === text.source) return { ...described, isStale: false };
  return { ...described, isStale: true, previous: former ?? unit.source };
}

function insertNew(
  kept: readonly CatalogueUnit[],
  texts: readonly SourceText[],
  known: ReadonlyMap<string, unknown>,
): CatalogueUnit[] {
  let anchor: string | null = null;
  const added: { readonly anchor: string | null; readonly unit: CatalogueUnit }[] = [];
  for (const text of texts) {
    if (known.has(text.context)) anchor = text.context;
    else added.push({ anchor, unit: { ...text, target: '', isStale: false, isObsolete: false, raw: null } });
  }
  const following = groupBy(added, (place) => place.anchor);
  const newAfter = (context: string | null): CatalogueUnit[] => (following.get(context) ?? []).map(({ unit }) => unit);
  const placed = new Set<string>();
  const after = (unit: CatalogueUnit): CatalogueUnit[] => {
    if (unit.isObsolete || placed.has(unit.context)) return [];
    placed.add(unit.context);
    return newAfter(unit.context);
  };
  return [...newAfter(null), ...kept.flatMap((unit) => [unit, ...after(unit)])];
}

/** Takes the translations of another file, as a translator returned it. */
export function importTranslations(
  units: readonly CatalogueUnit[],
  returned: readonly CatalogueUnit[],
): { readonly units: readonly CatalogueUnit[]; readonly imported: number; readonly unknown: readonly CatalogueUnit[] } {
  const byContext = new Map(returned.map((unit) => [unit.context, unit]));
  const known = new Set(units.map(({ context }) => context));
  let imported = 0;
  const merged = units.map((unit): CatalogueUnit => {
    const other = byContext.get(unit.context);
    if (other === undefined || other.target === '') return unit;
    const isOld = other.source !== unit.source;
    const { previous: _, ...rest } = unit;
    const isStale = other.isStale || isOld;
    if (unit.target === other.target && unit.isStale === isStale) return unit;
    imported += 1;
    return { ...rest, target: other.target, isStale, ...defined({ previous: isOld ? other.source : undefined }) };
  });
  return {
    units: merged,
    imported,
    unknown: returned.filter(({ context, target }) => target !== '' && !known.has(context)),
  };
}
