import { type Diagnostic, errorAt } from '../../kernel/diagnostic.ts';
import type { LocatedUnit } from '../locales/catalogue.ts';

type PlacedText = Pick<LocatedUnit, 'context' | 'source' | 'isObsolete' | 'at'>;

/**
 * Returns an error for each text that is in a catalogue twice, so that it is unclear which translation counts. A translation of a
 * former source is another text.
 */
export function doubledTexts(file: string, texts: readonly PlacedText[]): Diagnostic[] {
  const known = new Map<string, PlacedText>();
  const problems: Diagnostic[] = [];
  for (const text of texts) {
    if (text.isObsolete) continue;
    const { context, source, at } = text;
    const earlier = known.get(context);
    if (earlier === undefined) known.set(context, text);
    else if (earlier.source === source) {
      const message = `${file} has the text ${JSON.stringify(context)} twice`;
      problems.push(errorAt('catalogue_invalid', at, message, 'Remove one of the two'));
    }
  }
  return problems;
}
