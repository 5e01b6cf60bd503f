import { createWriteStream, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { frameRateOf } from '../src/engine/frame-rate.ts';
import { composeAnimation } from '../src/engine/raster/compose-animation.ts';
import type { RenderInput } from '../src/template/render-input.ts';
import { recordFigure } from './record-figure.ts';
import { peers } from './render-peers.ts';
import { drawFrames, throughPool } from './render-stages.ts';
import { templateInput } from './template-input.ts';

/**
 * Compares size, SSIM and speed with ffmpeg and with other programs that render the same animation, as one table in Markdown.
 * `npm run bench:quality [-- --template templates/launch --frames 300 --no-peers --remotion FOLDER]`
 */
const { values } = parseArgs({
  options: {
    template: { type: 'string', multiple: true, default: ['templates/launch', 'templates/story'] },
    frames: { type: 'string' },
    'no-peers': { type: 'boolean', default: false },
    remotion: { type: 'string' },
  },
});

/** With @napi-rs/webcodecs 1.3.1, the encoder until November 2026, which is no longer installed: measured then. */
const BEFORE: Readonly<Record<string, readonly [kilobytes: string, ssim: string]>> = {
  'templates/launch': ['2732', '.9959'],
  'templates/story': ['2952', '.9942'],
};
/** Frames whose SSIM is measured of a peer: another drawing, which has to be rendered without loss, too. */
const PEER_FRAMES = 90;

function loadInput(folder: string): RenderInput {
  const renderInput = templateInput(folder, {});
  return {
    ...renderInput,
    frameCount: Math.min(renderInput.frameCount, Number(values.frames ?? renderInput.frameCount)),
    stills: [],
  };
}

/** Returns the same animation for lottie-web: our drawn images, the original texts, and the template's fonts. */
async function webAnimation(renderInput: RenderInput): Promise<string> {
  const { assets } = JSON.parse((await composeAnimation(renderInput)).toJson([])) as { assets: { id: string }[] };
  const known = new Set(renderInput.animation.assets?.map(({ id }) => id));
  const files = new Map(renderInput.fonts.map(({ name, bytes }) => [name, Buffer.from(bytes).toString('base64')]));
  const { list = [] } = (renderInput.animation.fonts ?? {}) as { list?: { fName: string }[] };
  const fonts = list.map((font) => ({ ...font, origin: 3, fPath: `data:font/ttf;base64,${files.get(font.fName)}` }));
  const { chars: _outlines, ...animation } = renderInput.animation;
  return JSON.stringify({ ...animation, assets: assets.filter(({ id }) => known.has(id)), fonts: { list: fonts } });
}

/** SSIM of all planes, by ffmpeg's filter. @param reference input arguments @param frameCount first frames that are compared */
async function ssimOf(file: string, reference: readonly string[], frameCount: number): Promise<string> {
  // In one time base: the filter compares frames of equal time.
  const numbered = `trim=end_frame=${frameCount},settb=1/30,setpts=N`;
  const filter = `[0:v]${numbered}[a];[1:v]${numbered}[b];[a][b]ssim`;
  const args = ['-hide_banner', '-i', file, ...reference, '-lavfi', filter, '-f', 'null', '-'];
  const { stderr } = await execa('ffmpeg', args);
  const found = /All:0(\.\d{5})/.exec(stderr)?.[1];
  if (found === undefined) throw new Error(`ffmpeg printed no SSIM: ${stderr.slice(-300)}`);
  return found;
}

interface Row {
  readonly name: string;
  readonly kilobytes: string;
  readonly ssim: string;
  readonly speed: string;
}

async function measure(template: string, folder: string): Promise<Row[]> {
  const renderInput = loadInput(template);
  const { width, height, fps, frameCount } = renderInput;
  const { numerator, denominator } = frameRateOf(fps);
  const raw = join(folder, 'frames.yuv');
  const stream = createWriteStream(raw);
  await drawFrames(renderInput, async (pixels) => {
    await new Promise((resolve) => stream.write(pixels.slice(), resolve));
  });
  stream.end();
  await finished(stream);
  const colours = ['-color_range', 'tv', '-colorspace', 'bt709'];
  const rate = ['-r', `${numerator}/${denominator}`];
  const input = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', `${width}x${height}`, ...rate, '-i', raw];
  const speedOf = (ms: number): string => `${((frameCount / ms) * 1000).toFixed(1)} frames a second`;
  const rows: Row[] = [];
  const add = async (
    name: string,
    file: string,
    bytes: number,
    speed: string,
    reference = input,
    count = frameCount,
  ) => {
    rows.push({ name, kilobytes: (bytes / 1000).toFixed(0), ssim: await ssimOf(file, reference, count), speed });
  };

  const before = BEFORE[template];
  if (before !== undefined && values.frames === undefined) {
    rows.push({ name: 'before, webcodecs (measured then)', kilobytes: before[0], ssim: before[1], speed: '' });
  }
  const ours = await throughPool(renderInput);
  const own = join(folder, 'own.mp4');
  await writeFile(own, ours.video);
  await add('**Reelform**', own, ours.video.length, speedOf(ours.warmMs));

  const other = join(folder, 'ffmpeg.mp4');
  const start = performance.now();
  const encoder = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '20', ...colours, '-an', other];
  await execa('ffmpeg', ['-v', 'error', '-y', ...input, ...encoder]);
  const encodeMs = performance.now() - start;
  const { size } = statSync(other);
  await add('ffmpeg `veryfast` CRF 20, frames given', other, size, speedOf(encodeMs));

  for (const { name, render } of values['no-peers'] ? [] : peers) {
    const job = { json: await webAnimation(renderInput), width, height, fps, frameCount };
    const result = await render(job, { packages: values.remotion });
    if (typeof result === 'string') {
      console.log(`SKIPPED: ${name}: ${result}`);
      continue;
    }
    const file = join(folder, 'peer.mp4');
    await writeFile(file, result.video);
    const times = (result.ms / ours.warmMs).toFixed(1);
    const speed = `${speedOf(result.ms)}, ${times} times the time`;
    const count = Math.min(PEER_FRAMES, frameCount);
    const lossless = await render({ ...job, frameCount: count }, { packages: values.remotion, isLossless: true });
    if (typeof lossless === 'string') throw new Error(lossless);
    const reference = join(folder, 'peer-lossless.mp4');
    await writeFile(reference, lossless.video);
    await add(name, file, result.video.length, speed, ['-i', reference], count);
  }
  return rows;
}

const folder = await mkdtemp(join(tmpdir(), 'rf-quality-'));
try {
  for (const template of values.template) {
    const { width, height, frameCount } = loadInput(template);
    console.log(
      `\n| ${template}, ${frameCount} frames of ${width} × ${height} | kB | SSIM | speed |\n|---|---|---|---|`,
    );
    for (const { name, kilobytes, ssim, speed } of await measure(template, folder)) {
      recordFigure(
        template,
        name.replaceAll(/[*`]/g, ''),
        [`${kilobytes} kB`, `SSIM ${ssim}`, speed].filter(Boolean).join(', '),
      );
      console.log(`| ${name} | ${kilobytes} | ${ssim} | ${speed} |`);
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
