import { defined } from '../../kernel/defined.ts';
import type { SourceText } from '../locales/catalogue.ts';

/** What a translator has to know beside the text, in the notes of a catalogue. */
type Description = Pick<SourceText, 'label' | 'lines' | 'still'>;

/** Returns the lines of a comment about a text: its label, its lines and the picture that shows it. */
export function describeText({ label, lines, still }: Description): string[] {
  return [
    ...(label === undefined ? [] : [oneLine(label)]),
    ...(lines === undefined ? [] : [`Lines: ${lines}`]),
    ...(still === undefined ? [] : [`Picture: ${still}`]),
  ];
}

/** Reads a comment of `describeText`. */
export function readDescription(comment: readonly string[]): Description {
  const value = (name: string): string | undefined => {
    return comment.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  };
  const label = comment.find((line) => line !== '' && !/^(?:Lines|Picture): /.test(line));
  const lines = Number(value('Lines') ?? Number.NaN);
  return defined({ label, lines: Number.isInteger(lines) ? lines : undefined, still: value('Picture') });
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
