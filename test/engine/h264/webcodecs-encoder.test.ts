import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { execaNode } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWebcodecsEncoder } from '../../../src/engine/h264/webcodecs-encoder.ts';

const FORMAT = { width: 64, height: 64, rate: { numerator: 30, denominator: 1 } };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelform-encoder-'));
});
afterAll(() => rm(folder, { recursive: true }));

function grey(level: number): Uint8Array {
  return new Uint8Array((64 * 64 * 3) / 2).fill(128).fill(level, 0, 64 * 64);
}

describe('openWebcodecsEncoder()', () => {
  test('says encoder_missing where the optional package is not installed', async () => {
    const outfile = join(folder, 'encoder.mjs');
    const entry = new URL('../../../src/engine/h264/webcodecs-encoder.ts', import.meta.url).pathname;
    const script = `import { openWebcodecsEncoder } from ${JSON.stringify(entry)};
      await openWebcodecsEncoder(${JSON.stringify(FORMAT)}).catch((error) => console.log(error.code));`;
    await build({
      stdin: { contents: script, resolveDir: folder },
      ...{ outfile, bundle: true, format: 'esm', platform: 'node', packages: 'external' },
    });
    // Nothing is installed in this folder or above it.
    const { stdout } = await execaNode(outfile, { cwd: folder });
    expect(stdout).toBe('encoder_missing');
  });

  test('takes frames from memory that is written again at once', async () => {
    const encoder = await openWebcodecsEncoder(FORMAT);
    const frame = grey(0);
    for (let index = 0; index < 10; index++) {
      frame.set(grey(index * 20));
      await encoder.encode(frame, index);
    }
    const { packets } = await encoder.finish();
    encoder.close();

    const again = await openWebcodecsEncoder(FORMAT);
    for (let index = 0; index < 10; index++) await again.encode(grey(index * 20), index);
    const other = await again.finish();
    again.close();
    expect(packets.map(({ frame: shown }) => shown)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(other.packets).toEqual(packets);
  });

  test('says encode_failed for a frame of another size', async () => {
    const encoder = await openWebcodecsEncoder(FORMAT);
    await expect(encoder.encode(new Uint8Array(10), 0)).rejects.toMatchObject({ code: 'encode_failed' });
    await expect(encoder.finish()).rejects.toMatchObject({ code: 'encode_failed' });
    encoder.close();
    encoder.close();
  });
});
