import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { platform } from 'node:process';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { execaNode } from 'execa';
import { frameRateOf } from '../src/contract/timeline/frame-rate.ts';
import { encoderOf, SOFTWARE } from '../src/engine/codec/video-encoder.ts';
import { freeBuffers } from '../src/engine/free-buffers.ts';
import { createFrameRing, ringFrame } from '../src/engine/raster/frame-ring.ts';
import { openRasterizer } from '../src/engine/raster/rasterizer.ts';
import { drawingsOf } from '../src/engine/segments/drawings.ts';
import { segmentRanges } from '../src/engine/segments/segment.ts';
import { readProcessStat } from '../src/kernel/os-process.ts';
import { LIBRARY_SETTINGS, V8_OPTIONS } from '../src/service/sessions/processes/process-settings.ts';
import { createRenderPool } from '../src/service/sessions/processes/render-pool.ts';
import { createSegmentRenderer } from '../src/service/sessions/segments/segment-renderer.ts';
import type { RenderInput } from '../src/template/render-input.ts';
import { treeBytes } from './tree-bytes.ts';

/** Milliseconds of processor time that all frames of a video need, by stage. */
export interface Stages {
  readonly draw: number;
  readonly convert: number;
  readonly encode: number;
}

/** Calls `take` for each frame in order, with its drawing and conversion timed, from inputs restricted to segments as in a render. */
export async function drawFrames(
  renderInput: RenderInput,
  take: (pixels: Uint8Array, frame: number) => Promise<void>,
): Promise<{ draw: number; convert: number }> {
  const ms = { draw: 0, convert: 0 };
  const format = { width: renderInput.width, height: renderInput.height, pixels: 'i420' } as const;
  const ring = createFrameRing(format);
  for (const { renderInput: restricted, ranges } of drawingsOf(renderInput, segmentRanges(renderInput))) {
    const rasterizer = await openRasterizer(restricted);
    for (let frame = ranges[0]!.first; frame < ranges.at(-1)!.end; frame++) {
      const start = processorMs();
      await rasterizer.prepare(frame);
      const pixels = rasterizer.draw(frame);
      const middle = processorMs();
      ring.put(pixels, 0);
      ms.draw += middle - start;
      ms.convert += processorMs() - middle;
      await take(ringFrame(ring.buffer, format, 0), frame);
      freeBuffers();
      await setImmediate();
    }
    rasterizer.close();
  }
  return ms;
}

/** Measures each stage on its own, on one thread, with the frames of one segment at a time in memory. */
export async function measureStages(renderInput: RenderInput): Promise<Stages> {
  const { width, height, fps, output } = renderInput;
  let encode = 0;
  let frames: Uint8Array[] = [];
  const ranges = segmentRanges(renderInput);
  const drawn = await drawFrames(renderInput, async (pixels, frame) => {
    frames.push(pixels.slice());
    if (!ranges.some(({ end }) => end === frame + 1)) return;
    const start = processorMs();
    const encoder = await encoderOf(SOFTWARE)({ width, height, rate: frameRateOf(fps) }, output.quality);
    for (const [at, pixels] of frames.entries()) await encoder.encode(pixels, at);
    await encoder.finish();
    encoder.close();
    encode += processorMs() - start;
    frames = [];
  });
  return { ...drawn, encode };
}

/**
 * Measures the stages in one process for each core at once, run by Node as a render process: cores that share caches and memory are slower
 * together. A render of one process for each core can take no less than the sum over the cores.
 *
 * @param args start this benchmark as a program that prints its `Stages`
 */
export async function stagesOnAllCores(args: readonly string[]): Promise<Stages> {
  const options = { nodeOptions: [...V8_OPTIONS], env: LIBRARY_SETTINGS };
  const runs = Array.from({ length: availableParallelism() }, () => execaNode(process.argv[1]!, args, options));
  const all = (await Promise.all(runs)).map(({ stdout }) => JSON.parse(stdout) as Stages);
  const mean = (stage: keyof Stages): number => all.reduce((sum, one) => sum + one[stage], 0) / all.length;
  return { draw: mean('draw'), convert: mean('convert'), encode: mean('encode') };
}

/** Returns the user and system time of this process so far, with its ended child processes. Children are counted on Linux only. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1000;
  if (platform !== 'linux') return own;
  // The eleventh and twelfth field after the name: times of children in ticks of 10 ms.
  const fields = readFileSync('/proc/self/stat', 'latin1').split(') ')[1]!.split(' ');
  return own + (Number(fields[13]) + Number(fields[14])) * 10;
}

/** Returns the processor time of this process's descendants so far, ended ones included. */
function childrenMs(): number {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const parents = new Map(
    pids.map((pid) => {
      try {
        return [pid, Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')[1])];
      } catch {
        return [pid, 0];
      }
    }),
  );
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid) ?? 0;
    return parent === process.pid || (parent > 1 && isBelow(parent));
  };
  return pids.filter(isBelow).reduce((sum, pid) => sum + (readProcessStat(pid)?.cpuMs ?? 0), 0);
}

/** Time between the start of the processes and the first render of an apply, which counts segments meanwhile. */
const PLANNING_MS = 500;

/**
 * Renders once as the first video of an apply, whose processes start while it plans.
 *
 * @returns milliseconds of the render
 */
export async function firstOfApply(renderInput: RenderInput, parallel = availableParallelism()): Promise<number> {
  const pool = createRenderPool({ size: parallel });
  pool.warm(parallel, 'videos');
  await setTimeout(PLANNING_MS);
  const start = performance.now();
  await createSegmentRenderer({ runner: pool, parallel, cache: null }).render(renderInput);
  const ms = performance.now() - start;
  await pool.close();
  return ms;
}

/** Renders several times in a row as apply does: segments on each core. */
export async function throughPool(renderInput: RenderInput, renders = 3, parallel = availableParallelism()) {
  globalThis.gc?.();
  const own = treeBytes(process.pid);
  const pool = createRenderPool({ size: parallel, tasksPerProcess: Number.POSITIVE_INFINITY });
  const renderer = createSegmentRenderer({ runner: pool, parallel, cache: null });
  const [times, processor, rests]: [number[], number[], number[]] = [[], [], []];
  let fileBytes = 0;
  for (let render = 0; render < renders; render++) {
    const start = performance.now();
    const before = processorMs() + childrenMs();
    const [file] = await renderer.render(renderInput);
    times.push(performance.now() - start);
    fileBytes = file!.video.size;
    file!.video.close();
    processor.push(processorMs() + childrenMs() - before);
    rests.push(treeBytes(process.pid) - own);
  }
  // Not during the timed renders: reading the memory of a process stops it for some milliseconds.
  let peakBytes = 0;
  const sampler = setInterval(() => {
    peakBytes = Math.max(peakBytes, treeBytes(process.pid) - own);
  }, 40);
  await renderer.render(renderInput);
  clearInterval(sampler);
  await pool.close();
  const half = Math.floor((renders - 1) / 2);
  return {
    coldMs: times[0]!,
    warmMs: median(times.slice(1)),
    /** Of all processes, of a later render. */
    processorMs: median(processor.slice(1)),
    peakBytes,
    fileBytes,
    restBytes: rests.at(-1)!,
    growthBytes: rests.at(-1)! - rests[half]!,
    growthRenders: Math.max(1, renders - 1 - half),
  };
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
