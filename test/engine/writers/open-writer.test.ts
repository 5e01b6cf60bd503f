import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { build } from 'esbuild';
import { execaNode } from 'execa';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { OutputFormat } from '../../../src/contract/wire/output.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';
import { renderFile } from '../../support/in-memory.ts';
import { inputOf, placed, rectangleLayer } from '../inputs.ts';

const ROOT = join(import.meta.dirname, '../../..');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelform-writers-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Half-transparent red on the left from the third frame on; transparent on the right. */
function seeThrough(format: OutputFormat): RenderInput {
  const red = rectangleLayer(1, [0, 0, 32, 36], [1, 0, 0], { ip: 2, ks: placed(0, 0, { o: { a: 0, k: 50 } }) });
  return inputOf([red], {
    output: { format, quality: 'high', fingerprint: 'v1:abc' },
    stills: [
      { name: 'b', frame: 3 },
      { name: 'a', frame: 0 },
    ],
  });
}

async function pixelAt(image: Uint8Array, x: number, y: number): Promise<number[]> {
  const canvas = createCanvas(64, 36);
  const context = canvas.getContext('2d');
  context.drawImage(await loadImage(Buffer.from(image)), 0, 0);
  return [...context.getImageData(x, y, 1, 1).data];
}

describe('renderFile()', () => {
  it.each(['webm', 'gif', 'webp', 'png', 'png_sequence'] as const)(
    'writes %s with its fingerprint and stills and with reproducible bytes',
    async (format) => {
      const first = await renderFile(seeThrough(format));
      expect(first).toMatchObject({ format, width: 64, height: 36, frameCount: format === 'png' ? 1 : 6 });
      expect(Buffer.from(first.video).includes('v1:abc')).toBe(true);
      expect(first.stills.map(({ name }) => name)).toEqual(['b', 'a']);
      // JPEG has no alpha: half-transparent red is blended with black.
      const [red, green] = await pixelAt(first.stills[0]!.bytes, 8, 8);
      expect(Math.abs(red! - 128)).toBeLessThan(6);
      expect(green).toBeLessThan(6);
      expect((await pixelAt(first.stills[1]!.bytes, 8, 8)).slice(0, 3)).toEqual([0, 0, 0]);
      const second = await renderFile(seeThrough(format));
      expect(Buffer.compare(first.video, second.video)).toBe(0);
      expect(second.stills).toEqual(first.stills);
    },
  );

  it('writes the frame of the first still as PNG with straight alpha', async () => {
    const { video } = await renderFile(seeThrough('png'));
    expect(await pixelAt(video, 8, 8)).toEqual([255, 0, 0, 128]);
    expect(await pixelAt(video, 60, 8)).toEqual([0, 0, 0, 0]);
    const { video: first } = await renderFile({ ...seeThrough('png'), stills: [] });
    expect(await pixelAt(first, 8, 8)).toEqual([0, 0, 0, 0]);
  });

  it('writes the same pixels as a PNG sequence', async () => {
    const files = unzipSync((await renderFile(seeThrough('png_sequence'))).video);
    expect(Object.keys(files)).toHaveLength(6);
    expect(await pixelAt(files['frame_00002.png']!, 8, 8)).toEqual([0, 0, 0, 0]);
    expect(await pixelAt(files['frame_00004.png']!, 8, 8)).toEqual([255, 0, 0, 128]);
  });
});

describe('openWriter()', () => {
  test('needs no video encoder for GIF and PNG and reports encoder_missing for other formats', async () => {
    const source = (path: string): string => JSON.stringify(join(ROOT, 'src', path));
    const script = `
      import { openWriter } from ${source('engine/writers/open-writer.ts')};
      import { encoderOf, SOFTWARE } from ${source('engine/codec/video-encoder.ts')};
      const size = { width: 16, height: 16, rate: { numerator: 25, denominator: 1 } };
      for (const format of ['mp4', 'webm', 'gif', 'webp', 'png_sequence']) {
        const output = { format, quality: 'high', fingerprint: null };
        try {
          if (format === 'mp4') await encoderOf(SOFTWARE)(size, 'high');
          const writer = await openWriter({ format: size, frameCount: 1, output, sound: null });
          await writer.write(new Uint8Array(1024), 0);
          const file = await writer.finish();
          writer.close();
          console.log(format, file.size > 20);
        } catch (error) {
          console.log(format, error.code);
        }
      }`;
    const shared = { bundle: true, format: 'esm', platform: 'node', packages: 'external' } as const;
    const dist = join(folder, 'dist');
    await build({ ...shared, stdin: { contents: script, resolveDir: ROOT }, outfile: join(dist, 'main.mjs') });
    const worker = 'engine/writers/gif-worker';
    await build({
      ...shared,
      entryPoints: [join(ROOT, `src/${worker}.ts`)],
      outfile: join(dist, `${worker}.cjs`),
      format: 'cjs',
    });
    // All installed packages, but the encoder's package as a failed installation leaves it.
    await mkdir(join(folder, 'node_modules/@napi-rs'), { recursive: true });
    const broken = join(folder, `node_modules/@seydx/node-av-${process.platform}-${process.arch}`);
    await mkdir(broken, { recursive: true });
    await writeFile(join(broken, 'node-av.node'), '');
    for (const name of ['@napi-rs/canvas', 'gifenc', 'mediabunny', 'fflate', 'execa']) {
      await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name), 'junction');
    }
    const { stdout } = await execaNode(join(dist, 'main.mjs'), { cwd: folder });
    expect(stdout.split('\n')).toEqual([
      'mp4 encoder_missing',
      'webm encoder_missing',
      'gif true',
      'webp encoder_missing',
      'png_sequence true',
    ]);
  });
});
