import type { Transparency } from '../../../engine/inspect/measure-transparency.ts';
import { ReelformError } from '../../../kernel/diagnostic.ts';
import { ADD_QUESTIONS } from '../../../report/terminal/template-text.ts';
import { parseColor } from '../../../template/color.ts';
import { TEXT_POSITIONS, type TextPosition } from '../../../template/init/add-overlay.ts';
import type { Io } from '../../io.ts';

/**
 * Returns the background of a transparent animation; null for none. Asks if it is not given.
 *
 * @param given six hexadecimal digits; null for none
 * @param found its colour is used without a question if nobody can answer
 */
export async function chooseBackground(
  given: string | null | undefined,
  found: Transparency,
  io: Io,
): Promise<string | null> {
  if (given !== undefined) return given;
  const suggested = await found.color();
  return io.interactive ? askBackground(suggested, io) : suggested;
}

/** Returns the position of the text of an animation without texts; null for none. Asks if it is not given. */
export async function chooseText(given: TextPosition | 'none' | undefined, io: Io): Promise<TextPosition | null> {
  if (given !== undefined) return given === 'none' ? null : given;
  return io.interactive ? askText(io) : null;
}

/**
 * Parses the value of `--background`.
 *
 * @returns six upper-case hexadecimal digits; null for `none`
 * @throws ReelformError `invalid_color`
 */
export function parseBackground(text: string): string | null {
  if (text === 'none') return null;
  const digits = text.replace(/^#/, '').toUpperCase();
  if (digits.length === 6 && parseColor(digits) !== null) return digits;
  const message = `--background takes a colour of 6 hexadecimal digits, not ${JSON.stringify(text)}`;
  throw new ReelformError('invalid_color', message, { hint: 'Write it like "#EEADA7", in quotes, or none' });
}

async function askBackground(color: string, io: Io): Promise<string | null> {
  for (;;) {
    const answer = (await io.ask(ADD_QUESTIONS.background(color))).trim();
    if (answer === '') return color;
    try {
      return parseBackground(answer);
    } catch (error) {
      io.stderr.write(`${(error as Error).message}\n`);
    }
  }
}

async function askText(io: Io): Promise<TextPosition | null> {
  for (;;) {
    const answer = (await io.ask(ADD_QUESTIONS.text(TEXT_POSITIONS.join(', ')))).trim();
    if (answer === '' || answer === 'none') return null;
    const place = TEXT_POSITIONS.find((position) => position === answer);
    if (place !== undefined) return place;
    io.stderr.write(`${JSON.stringify(answer)} is none of none, ${TEXT_POSITIONS.join(', ')}\n`);
  }
}
