import { setTimeout } from 'node:timers/promises';
import { replaceFile } from '../../src/kernel/replace-file.ts';

/** Writes a file a little at a time, and never finishes. Prints a line when the first bytes are on the disk. */
async function* endless(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half');
  process.stdout.write('writing\n');
  for (;;) {
    await setTimeout(50);
    yield Buffer.from('.');
  }
}

await replaceFile(process.argv[2]!, endless, { isDurable: true });
