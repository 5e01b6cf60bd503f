import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { execaNode } from 'execa';
import type { Io } from '../../src/cli/io.ts';
import { openInputs } from '../../src/cli/render/open-inputs.ts';
import { projectTemplates } from '../../src/cli/state/video-templates.ts';
import { type PackedTemplate, packTemplate, unpackTemplate } from '../../src/engine/packed-input.ts';
import { openRasterizer } from '../../src/engine/raster/rasterizer.ts';
import { loadProject } from '../../src/reconciler/project/load-project.ts';
import { shrinkInput } from '../../src/report/preview/reduce-input.ts';
import { createRenderPool } from '../../src/service/sessions/processes/render-pool.ts';
import type { RenderInput } from '../../src/template/render-input.ts';

/** Shorter side of landscape drafts, in pixels. */
const DRAFT_HEIGHT = 240;

/** Argument with which the bench starts itself as a drawing process. */
export const DRAW = 'draw';

const STILL_SIDE = 640;

interface Told {
  readonly seconds: number;
  /** Null if not measured. */
  readonly cpuSeconds: number | null;
  readonly frameCount: number;
}

/**
 * Returns the inputs of one state of a repository at the size of stills, with the frames that a preview showed of each
 * video.
 *
 * @param times seconds, by the id of the video
 */
export async function scenesOf(root: string, times: ReadonlyMap<string, readonly number[]>): Promise<PackedTemplate[]> {
  const project = await loadProject({ cwd: root });
  const templatesOf = projectTemplates(project);
  const inputs = openInputs(root, { now: () => Date.now() } as Io, 'bench');
  const packed: PackedTemplate[] = [];
  for (const video of project.videos) {
    const shown = times.get(video.id) ?? [];
    if (shown.length === 0) continue;
    const renderInput = (await inputs.inputOf(video, templatesOf(video)!)) as RenderInput;
    const stills = shown.map((time) => ({ name: `${time}`, frame: Math.round(time * renderInput.fps) }));
    packed.push(packTemplate({ ...shrinkInput(renderInput, STILL_SIDE), sounds: [], stills }));
  }
  await inputs.close();
  return packed;
}

/**
 * Measures the lower bound of drafts: one warm process per core renders the same inputs, one after the other.
 *
 * @param packed inputs of stills
 */
export async function renderedAlone(packed: readonly PackedTemplate[]): Promise<Told> {
  const inputs = packed.map(unpackTemplate).map((renderInput): RenderInput => {
    const { width, height, output } = renderInput;
    const longest = (DRAFT_HEIGHT * Math.max(width, height)) / height;
    return { ...shrinkInput(renderInput, longest), stills: [], output: { ...output, format: 'mp4', quality: 'low' } };
  });
  const pool = createRenderPool({ size: availableParallelism() });
  await Promise.all(inputs.slice(0, availableParallelism()).map((renderInput) => pool.run('video', renderInput)));
  const started = performance.now();
  await Promise.all(inputs.map((renderInput) => pool.run('video', renderInput)));
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  const frameCount = inputs.reduce((sum, renderInput) => sum + renderInput.frameCount, 0);
  return { seconds, cpuSeconds: null, frameCount };
}

/**
 * Measures the lower bound of stills: one warm process per core sets up and draws the same frames. The measured time
 * includes no transfer, comparison, encoding or writing.
 */
export async function drawnAlone(inputs: readonly PackedTemplate[], folder: string): Promise<Told> {
  const count = Math.min(availableParallelism(), inputs.length);
  const children = Array.from({ length: count }, (_, index) => {
    const path = join(folder, `scenes-${index}`);
    // Both sides of a video go to the same process, as in the preview.
    const half = inputs.length / 2;
    writeFileSync(path, serialize(inputs.filter((_renderInput, at) => (at % half) % count === index)));
    const environment = { nodeOptions: ['--expose-gc', '--max-semi-space-size=16'], env: { MALLOC_ARENA_MAX: '1' } };
    return execaNode(process.argv[1]!, [DRAW, path], { ipc: true, stdout: 'inherit', ...environment });
  });
  await Promise.all(children.map((child) => once(child, 'message')));
  const started = performance.now();
  const told = await Promise.all(
    children.map(async (child) => {
      child.send('go');
      const [message] = (await once(child, 'message')) as [Told];
      return message;
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  await Promise.all(children);
  const sum = (of: (one: Told) => number): number => told.reduce((all, one) => all + of(one), 0);
  return { seconds, cpuSeconds: sum((one) => one.cpuSeconds ?? 0), frameCount: sum((one) => one.frameCount) };
}

/** Entry point of a drawing process: warms up, waits for the start, draws, and reports its time. */
export async function drawInputs(path: string): Promise<void> {
  const inputs = (deserialize(readFileSync(path)) as PackedTemplate[]).map(unpackTemplate);
  const draw = async (renderInput: (typeof inputs)[number]): Promise<void> => {
    const rasterizer = await openRasterizer(renderInput);
    for (const { frame } of renderInput.stills) {
      await rasterizer.prepare(frame);
      rasterizer.draw(frame);
    }
    rasterizer.close();
    globalThis.gc?.({ type: 'minor' });
  };
  for (const renderInput of inputs.slice(0, 3)) await draw(renderInput);
  process.send!('ready');
  await once(process, 'message');
  const [started, before] = [performance.now(), process.cpuUsage()];
  for (const renderInput of inputs) await draw(renderInput);
  const { user, system } = process.cpuUsage(before);
  const frameCount = inputs.reduce((sum, { stills }) => sum + stills.length, 0);
  const told: Told = { seconds: (performance.now() - started) / 1000, cpuSeconds: (user + system) / 1e6, frameCount };
  process.send!(told, () => process.disconnect());
}
