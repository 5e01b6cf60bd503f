import { availableParallelism } from 'node:os';
import { pid, platform } from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { type EncoderChoice, encoderOf } from '../src/engine/codec/video-encoder.ts';
import { frameRateOf } from '../src/engine/frame-rate.ts';
import { createFrameRing, ringFrame } from '../src/engine/raster/frame-ring.ts';
import { openRasterizer } from '../src/engine/raster/rasterizer.ts';
import { segmentRanges } from '../src/engine/segments/segment.ts';
import { readProcessStat } from '../src/os-process.ts';
import { createRenderPool } from '../src/session/processes/render-pool.ts';
import { createSegmentRenderer } from '../src/session/segments/segment-renderer.ts';
import type { Scene } from '../src/template/scene.ts';
import { treeBytes } from './tree-bytes.ts';

/** Measures each stage separately on one thread. Also returns the frames as an encoder gets them. */
export async function drawStages(scene: Scene) {
  const ms = { 'compose and load': 0, 'draw and read back': 0, 'convert to I420': 0 };
  let repeated = 0;
  const clock = (stage: keyof typeof ms, start: number): number => {
    const now = performance.now();
    ms[stage] += now - start;
    return now;
  };
  const format = { width: scene.width, height: scene.height, pixels: 'i420' } as const;
  const begun = performance.now();
  const rasterizer = await openRasterizer(scene);
  clock('compose and load', begun);
  const ring = createFrameRing(format);
  const frames: Uint8Array[] = [];
  for (let frame = 0; frame < scene.frameCount; frame++) {
    await rasterizer.prepare(frame);
    if (rasterizer.repeats(frame)) repeated += 1;
    frames.push(await drawn(frame));
  }
  rasterizer.close();
  return { ms, repeated, frames };

  async function drawn(frame: number): Promise<Uint8Array> {
    const start = performance.now();
    const pixels = rasterizer.draw(frame);
    const middle = clock('draw and read back', start);
    ring.put(pixels, 0);
    clock('convert to I420', middle);
    if (frame % 4 === 0) globalThis.gc?.({ type: 'minor' });
    await setImmediate();
    return ringFrame(ring.buffer, format, 0).slice();
  }
}

/** Measures the lower bound: the encoder alone on ready frames. */
export async function encodeAlone(scene: Scene, frames: readonly Uint8Array[], choice: EncoderChoice) {
  const { width, height, fps, output } = scene;
  const before = processorMs();
  const start = performance.now();
  const openEncoder = encoderOf(choice);
  for (const { first, end } of segmentRanges(scene)) {
    const encoder = await openEncoder({ width, height, rate: frameRateOf(fps) }, output.quality);
    for (let frame = first; frame < end; frame++) await encoder.encode(frames[frame]!, frame - first);
    await encoder.finish();
    encoder.close();
  }
  return { ms: performance.now() - start, cpuMs: processorMs() - before };
}

/**
 * Returns the processor time of this process and of its ended child processes. ffmpeg encodes each segment in a child,
 * which `process.cpuUsage()` leaves out. Children are counted on Linux only.
 */
export function processorMs(): number {
  if (platform === 'linux') return readProcessStat(pid)!.cpuMs;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Renders several times in a row as apply does: segments in one process per core. */
export async function throughPool(
  scene: Scene,
  encoder: EncoderChoice,
  renders = 2,
  parallel = availableParallelism(),
) {
  globalThis.gc?.();
  const own = treeBytes(process.pid);
  const pool = createRenderPool({ size: parallel, encoder, tasksPerProcess: Number.POSITIVE_INFINITY });
  const renderer = createSegmentRenderer({ runner: pool, parallel, cache: null });
  const [times, rests]: [number[], number[]] = [[], []];
  let bytes = 0;
  for (let render = 0; render < renders; render++) {
    const start = performance.now();
    bytes = (await renderer.render(scene)).video.length;
    times.push(performance.now() - start);
    rests.push(treeBytes(process.pid) - own);
  }
  // Not during the timed renders: reading the memory of a process stops it for some milliseconds.
  let peakBytes = 0;
  const sampler = setInterval(() => {
    peakBytes = Math.max(peakBytes, treeBytes(process.pid) - own);
  }, 40);
  await renderer.render(scene);
  clearInterval(sampler);
  await pool.close();
  const half = Math.floor((renders - 1) / 2);
  return {
    coldMs: times[0]!,
    warmMs: median(times.slice(1)),
    peakBytes,
    bytes,
    restBytes: rests.at(-1)!,
    growthBytes: rests.at(-1)! - rests[half]!,
    growthRenders: Math.max(1, renders - 1 - half),
  };
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
