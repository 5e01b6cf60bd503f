import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { execaNode } from 'execa';
import type { Io } from '../../src/cli/io.ts';
import { openScenes } from '../../src/cli/render/open-scenes.ts';
import { type PackedScene, packScene, unpackScene } from '../../src/engine/packed-scene.ts';
import { openRasterizer } from '../../src/engine/raster/rasterizer.ts';
import { loadProject } from '../../src/reconciler/project/load-project.ts';
import { shrinkScene } from '../../src/report/preview/reduce-scene.ts';
import { createRenderPool } from '../../src/service/sessions/processes/render-pool.ts';
import type { Scene } from '../../src/template/scene.ts';

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
 * Returns the scenes of one state of a repository at the size of stills, with the frames that a preview showed of each
 * video.
 *
 * @param times seconds, by the id of the video
 */
export async function scenesOf(root: string, times: ReadonlyMap<string, readonly number[]>): Promise<PackedScene[]> {
  const project = await loadProject({ cwd: root });
  const scenes = openScenes(root, { now: () => Date.now() } as Io, 'bench');
  const packed: PackedScene[] = [];
  for (const video of project.videos) {
    const shown = times.get(video.id) ?? [];
    if (shown.length === 0) continue;
    const scene = await scenes.sceneOf(video, project.templates.get(video.template)!.package!);
    const stills = shown.map((time) => ({ name: `${time}`, frame: Math.round(time * scene.fps) }));
    packed.push(packScene({ ...shrinkScene(scene, STILL_SIDE), sounds: [], stills }));
  }
  await scenes.close();
  return packed;
}

/**
 * Measures the lower bound of drafts: one warm process per core renders the same scenes, one after the other.
 *
 * @param packed scenes of stills
 */
export async function renderedAlone(packed: readonly PackedScene[]): Promise<Told> {
  const scenes = packed.map(unpackScene).map((scene): Scene => {
    const { width, height, output } = scene;
    const longest = (DRAFT_HEIGHT * Math.max(width, height)) / height;
    return { ...shrinkScene(scene, longest), stills: [], output: { ...output, format: 'mp4', quality: 'low' } };
  });
  const pool = createRenderPool({ size: availableParallelism() });
  await Promise.all(scenes.slice(0, availableParallelism()).map((scene) => pool.run('video', scene)));
  const started = performance.now();
  await Promise.all(scenes.map((scene) => pool.run('video', scene)));
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  const frameCount = scenes.reduce((sum, scene) => sum + scene.frameCount, 0);
  return { seconds, cpuSeconds: null, frameCount };
}

/**
 * Measures the lower bound of stills: one warm process per core sets up and draws the same frames. The measured time
 * includes no transfer, comparison, encoding or writing.
 */
export async function drawnAlone(scenes: readonly PackedScene[], folder: string): Promise<Told> {
  const count = Math.min(availableParallelism(), scenes.length);
  const children = Array.from({ length: count }, (_, index) => {
    const path = join(folder, `scenes-${index}`);
    // Both sides of a video go to the same process, as in the preview.
    const half = scenes.length / 2;
    writeFileSync(path, serialize(scenes.filter((_scene, at) => (at % half) % count === index)));
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
export async function drawScenes(path: string): Promise<void> {
  const scenes = (deserialize(readFileSync(path)) as PackedScene[]).map(unpackScene);
  const draw = async (scene: (typeof scenes)[number]): Promise<void> => {
    const rasterizer = await openRasterizer(scene);
    for (const { frame } of scene.stills) {
      await rasterizer.prepare(frame);
      rasterizer.draw(frame);
    }
    rasterizer.close();
    globalThis.gc?.({ type: 'minor' });
  };
  for (const scene of scenes.slice(0, 3)) await draw(scene);
  process.send!('ready');
  await once(process, 'message');
  const [started, before] = [performance.now(), process.cpuUsage()];
  for (const scene of scenes) await draw(scene);
  const { user, system } = process.cpuUsage(before);
  const frameCount = scenes.reduce((sum, { stills }) => sum + stills.length, 0);
  const told: Told = { seconds: (performance.now() - started) / 1000, cpuSeconds: (user + system) / 1e6, frameCount };
  process.send!(told, () => process.disconnect());
}
