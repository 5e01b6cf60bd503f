import { createInterface } from 'node:readline/promises';
import { EXIT, ReelformError } from '../diagnostic.ts';

/** A terminal: keys come in, and the question and their echo go out. */
export interface Keyboard {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/**
 * Asks a question on a terminal and resolves to the line that is typed. Commands ask before they change anything.
 *
 * @throws ReelformError `interrupted` after Ctrl-C, Ctrl-D, or the end of the input
 */
export async function askQuestion(question: string, { input, output }: Keyboard): Promise<string> {
  const lines = createInterface({ input, output, terminal: true });
  // Node 20 closes the interface at Ctrl-C and never settles the question; later versions also reject it.
  const left = new Promise<null>((resolve) => lines.once('close', () => resolve(null)));
  try {
    const answer = await Promise.race([lines.question(question).catch(() => null), left]);
    if (answer !== null) return answer;
    output.write('\n');
    throw new ReelformError('interrupted', 'The question was left without an answer; nothing was changed', {
      exitCode: EXIT.interrupted,
    });
  } finally {
    lines.close();
  }
}
