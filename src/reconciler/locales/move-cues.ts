import { groupBy } from '../../kernel/group-by.ts';
import type { CatalogueUnit, SourceText } from './catalogue.ts';

const CUE = /^(.*#@(?:.+\.)?captions\.)\d+$/s;

/**
 * Moves translations of cues whose numbers changed, because a cue was added or removed before them. A cue whose number had another text that
 * is still there is not translated.
 */
export function moveCues(former: readonly CatalogueUnit[], texts: readonly SourceText[]): readonly CatalogueUnit[] {
  const cues = texts.filter(({ context }) => CUE.test(context));
  if (cues.length === 0) return former;
  const listOf = ({ context }: Pick<SourceText, 'context'>): string => CUE.exec(context)?.[1] ?? '';
  const wanted = groupBy(cues, listOf);
  const known = groupBy(
    former.filter(({ context }) => CUE.test(context)),
    listOf,
  );
  const moved = new Map<string, CatalogueUnit>();
  for (const [list, listed] of wanted) {
    const units = known.get(list) ?? [];
    const byContext = new Map(units.map((unit) => [unit.context, unit]));
    const bySource = new Map(units.filter(({ target }) => target !== '').map((unit) => [unit.source, unit]));
    const sources = new Set(listed.map(({ source }) => source));
    for (const { context, source } of listed) {
      const unit = byContext.get(context);
      if (unit?.source === source) continue;
      const match = bySource.get(source);
      if (match !== undefined) moved.set(context, withTranslation(unit ?? { ...match, context, raw: null }, match));
      else if (unit !== undefined && sources.has(unit.source))
        moved.set(context, { ...unit, source, target: '', isStale: false });
    }
  }
  const present = new Set(former.map(({ context }) => context));
  const added = [...moved].filter(([context]) => !present.has(context)).map(([, unit]) => unit);
  return [...former.map((unit) => moved.get(unit.context) ?? unit), ...added];
}

function withTranslation(unit: CatalogueUnit, { source, target, isStale }: CatalogueUnit): CatalogueUnit {
  const { previous: _, ...rest } = unit;
  return { ...rest, source, target, isStale };
}
