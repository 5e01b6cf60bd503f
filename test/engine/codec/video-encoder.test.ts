import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platform } from 'node:process';
import { build } from 'esbuild';
import { execa, execaNode } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EncodedTrack } from '../../../src/engine/codec/encoded-track.ts';
import { encoderOf, SOFTWARE } from '../../../src/engine/codec/video-encoder.ts';

const FORMAT = { width: 64, height: 64, rate: { numerator: 30, denominator: 1 } };
const openEncoder = encoderOf(SOFTWARE);
const SOURCE = new URL('../../../src/engine/codec/video-encoder.ts', import.meta.url).pathname;
const shared = { bundle: true, format: 'esm', platform: 'node', packages: 'external' } as const;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelform-encoder-'));
});
afterAll(() => rm(folder, { recursive: true }));

function grey(level: number): Uint8Array {
  return new Uint8Array((64 * 64 * 3) / 2).fill(128).fill(level, 0, 64 * 64);
}

async function encoded(quality: 'low' | 'medium' | 'high', count = 10): Promise<EncodedTrack> {
  const encoder = await openEncoder(FORMAT, quality);
  for (let frame = 0; frame < count; frame++) {
    await encoder.encode(
      grey(0).map((_, at) => (at * 7919 + frame * 13) & 255),
      frame,
    );
  }
  const track = await encoder.finish();
  encoder.close();
  return track;
}

describe('encoderOf()', () => {
  test('reports encoder_missing when the optional package is not installed', async () => {
    const outfile = join(folder, 'encoder.mjs');
    const script = `import { encoderOf, SOFTWARE } from ${JSON.stringify(SOURCE)};
      await encoderOf(SOFTWARE)(${JSON.stringify(FORMAT)}, 'high').catch((error) => console.log(error.code, error.hint));`;
    await build({ ...shared, stdin: { contents: script, resolveDir: folder }, outfile });
    // Neither this directory nor any above it has the package installed.
    const { stdout } = await execaNode(outfile, { cwd: folder });
    expect(stdout).toMatch(/^encoder_missing install it with: npm install @seydx\/node-av-\S+@6\.1\.1 /);
  });

  test('copies each frame before the caller overwrites its memory, and returns each frame once', async () => {
    const encoder = await openEncoder(FORMAT, 'high');
    const frame = new Uint8Array(new SharedArrayBuffer(grey(0).length));
    for (let index = 0; index < 10; index++) {
      frame.set(grey(index * 20));
      await encoder.encode(frame, index);
    }
    const { packets } = await encoder.finish();
    encoder.close();

    const again = await openEncoder(FORMAT, 'high');
    for (let index = 0; index < 10; index++) await again.encode(grey(index * 20), index);
    const repeated = await again.finish();
    again.close();
    const shown = packets.map((packet) => packet.frame).sort((a, b) => a - b);
    expect(shown).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(repeated.packets).toEqual(packets);
  });

  test('returns length-prefixed NAL units without parameter sets or SEI messages', async () => {
    const { configuration, packets } = await encoded('high');
    expect([...configuration.subarray(0, 6)]).toEqual([1, 100, 0, expect.any(Number), 0xff, 0xe1]);
    for (const { bytes } of packets) {
      const types: number[] = [];
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let at = 0;
      for (; at < bytes.length; at += 4 + view.getUint32(at)) types.push(bytes[at + 4]! & 31);
      expect(at).toBe(bytes.length);
      expect([[1], [5]]).toContainEqual(types);
    }
  });

  test('makes smaller tracks at lower quality with the same configuration', async () => {
    const tracks = [await encoded('low'), await encoded('medium'), await encoded('high')];
    const sizes = tracks.map(({ packets }) => packets.reduce((sum, { bytes }) => sum + bytes.length, 0));
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
    expect(new Set(sizes).size).toBe(3);
    expect(await encoded('low')).toEqual(tracks[0]);
  });

  test.skipIf(platform !== 'linux')(
    'produces the same bytes on a single core and on all cores, whatever its memory contained',
    async () => {
      // Inside the repository, where the package can be resolved.
      const outfile = join(import.meta.dirname, '../../../dist/test-encoder.mjs');
      const script = `import { createHash } from 'node:crypto';
      import { encoderOf, SOFTWARE } from ${JSON.stringify(SOURCE)};
      const format = { width: 854, height: 480, rate: { numerator: 30, denominator: 1 } };
      const encoder = await encoderOf(SOFTWARE)(format, 'high');
      const frame = new Uint8Array(854 * 480 * 1.5);
      for (let index = 0; index < 20; index++) {
        for (let at = 0; at < frame.length; at++) frame[at] = ((at % 854) * (index + 3)) >> 3;
        await encoder.encode(frame, index);
      }
      const hash = createHash('sha256');
      for (const { bytes } of (await encoder.finish()).packets) hash.update(bytes);
      console.log(hash.digest('hex'));`;
      await build({ ...shared, stdin: { contents: script, resolveDir: folder }, outfile });
      const run = async (memory: string, ...command: string[]): Promise<string> =>
        (await execa(command[0]!, [...command.slice(1), outfile], { env: { MALLOC_PERTURB_: memory } })).stdout;
      try {
        expect(await run('85', 'taskset', '-c', '0', process.execPath)).toBe(await run('170', process.execPath));
      } finally {
        await rm(outfile);
      }
    },
  );

  test('reports encode_failed for a frame of another size and again at the end', async () => {
    const encoder = await openEncoder(FORMAT, 'high');
    await expect(encoder.encode(new Uint8Array(10), 0)).rejects.toMatchObject({ code: 'encode_failed' });
    await expect(encoder.finish()).rejects.toMatchObject({ code: 'encode_failed' });
    encoder.close();
    encoder.close();
    await expect(encoder.encode(grey(0), 0)).rejects.toMatchObject({ code: 'encode_failed' });
  });

  test('can be closed while encoding', async () => {
    const encoder = await openEncoder(FORMAT, 'high');
    const encoding = encoder.encode(grey(0), 0);
    encoder.close();
    await encoding;
    await expect(encoder.finish()).rejects.toMatchObject({ code: 'encode_failed' });
  });

  test('reports encoder_missing with alternatives for unavailable hardware', async () => {
    const name = platform === 'darwin' ? 'nvenc' : 'videotoolbox';
    const refused = { code: 'encoder_missing', hint: expect.stringContaining('x264') };
    await expect(encoderOf({ h264: name })(FORMAT, 'high')).rejects.toMatchObject(refused);
  });
});
