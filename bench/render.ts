import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import fg from 'fast-glob';
import type { EncoderFactory } from '../src/engine/encoder.ts';
import { frameRateOf } from '../src/engine/frame-rate.ts';
import { renderScene } from '../src/engine/render-scene.ts';
import { openWebcodecsEncoder } from '../src/engine/webcodecs-encoder.ts';
import { createRenderPool } from '../src/session/render-pool.ts';
import { bindMapping } from '../src/template/bind-mapping.ts';
import { parseTemplatePackage } from '../src/template/parse-template-package.ts';
import type { Scene } from '../src/template/scene.ts';

/**
 * The engine against its own encoder alone: frames per second of a real 1080p template through the render pool, of x264 at
 * the same settings on ready I420 frames, their ratio, and the peak memory of the processes together.
 * `npm run bench:render [rounds] [template folder]`
 */
const ROUNDS = Number(process.argv[2] ?? 3);
const TEMPLATE = process.argv[3] ?? 'templates/launch';

function loadScene(folder: string): Scene {
  const names = fg.sync('**/*', { cwd: folder });
  const files = new Map(names.map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]));
  const template = parseTemplatePackage(folder, files);
  if (!template.ok) throw new Error(template.diagnostics.map(({ message }) => message).join('\n'));
  return bindMapping(template.value, { resources: {} }, new Map());
}

/** All frames as the encoder sees them. */
async function drawFrames(scene: Scene): Promise<Uint8Array[]> {
  const frames: Uint8Array[] = [];
  const keep: EncoderFactory = async (format) => {
    const encoder = await openWebcodecsEncoder(format);
    return {
      async encode(i420, frame) {
        frames.push(i420.slice());
        await encoder.encode(i420, frame);
      },
      finish: () => encoder.finish(),
      close: () => encoder.close(),
    };
  };
  await renderScene(scene, { encoder: keep });
  return frames;
}

async function encodeAlone({ width, height, fps }: Scene, frames: readonly Uint8Array[]): Promise<number> {
  const start = performance.now();
  const encoder = await openWebcodecsEncoder({ width, height, rate: frameRateOf(fps) });
  for (const [frame, i420] of frames.entries()) await encoder.encode(i420, frame);
  await encoder.finish();
  encoder.close();
  return performance.now() - start;
}

/** Resident bytes of a process and all below it, from /proc; 0 where there is none. */
function treeBytes(pid: number): number {
  try {
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const below = children === '' ? [] : children.split(' ').map(Number);
    return below.reduce((sum, child) => sum + treeBytes(child), kilobytes * 1024);
  } catch {
    return 0;
  }
}

async function throughPool(
  scene: Scene,
): Promise<{ coldMs: number; warmMs: number; peakBytes: number; bytes: number }> {
  const own = treeBytes(process.pid);
  const pool = createRenderPool({ size: 1 });
  let peakBytes = 0;
  const sampler = setInterval(() => {
    peakBytes = Math.max(peakBytes, treeBytes(process.pid) - own);
  }, 20);
  const start = performance.now();
  const { video } = await pool.render(scene);
  const middle = performance.now();
  await pool.render(scene);
  const end = performance.now();
  clearInterval(sampler);
  await pool.close();
  return { coldMs: middle - start, warmMs: end - middle, peakBytes, bytes: video.length };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

const scene = loadScene(TEMPLATE);
const { width, height, fps, frameCount } = scene;
const pooled = [];
// Before the frames are kept here, so that only the engine's own memory is seen.
for (let round = 0; round < ROUNDS; round++) pooled.push(await throughPool(scene));
const frames = await drawFrames(scene);
const alone: number[] = [];
const pairs: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  alone.push(await encodeAlone(scene, frames));
  const again = await throughPool(scene);
  pooled.push(again);
  pairs.push(alone.at(-1)! / again.warmMs);
}

const perSecond = (ms: number): string => ((frameCount / ms) * 1000).toFixed(1);
const rows: [string, string][] = [
  ['template', `${TEMPLATE}, ${width}×${height}, ${frameCount} frames at ${fps} fps`],
  ['machine', `${availableParallelism()} cores, Node ${process.versions.node}`],
  ['render, first in its process', `${perSecond(median(pooled.map((run) => run.coldMs)))} fps`],
  ['render, later ones', `${perSecond(median(pooled.map((run) => run.warmMs)))} fps`],
  ['x264 alone on ready frames', `${perSecond(median(alone))} fps`],
  ['ratio, median of pairs', `${(median(pairs) * 100).toFixed(0)} %`],
  ['file', `${(pooled[0]!.bytes / 1e6).toFixed(2)} MB`],
  [
    'peak memory of the render',
    `${Math.round(Math.max(...pooled.slice(0, ROUNDS).map((run) => run.peakBytes)) / 1e6)} MB`,
  ],
];
for (const [name, value] of rows) console.log(`${name.padEnd(30)} ${value}`);
