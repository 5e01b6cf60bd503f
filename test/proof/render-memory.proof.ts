import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Scene } from '../../src/template/scene.ts';
import { movingScene } from '../engine/scenes.ts';
import { count, tell } from '../support/proof.ts';
import { openPool } from '../support/render-pools.ts';

const RENDERS = count(1_000, 160);
/** What later processes may have more than the first two. */
const GROWTH = 1.1;

/** Ten frames of the size of a preview. */
function scene(render: number): Scene {
  return { ...movingScene({ frameCount: 10 }), width: 640, height: 360, stills: [{ name: `at ${render}`, frame: 5 }] };
}

/** The youngest child of this process. */
function renderProcess(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ');
  return Math.max(...children.map(Number));
}

function megabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

describe.skipIf(process.platform !== 'linux')('warm render processes', () => {
  test(`have the same memory after ${RENDERS} renders`, async () => {
    const pool = openPool({ size: 1 });
    // By process: each takes as many renders as it does in use, and what the rasteriser leaks of each scene with it.
    const sizes = new Map<number, number[]>();
    let own = 0;
    for (let render = 0; render < RENDERS; render++) {
      let pid = 0;
      // While it renders: after its last one a process is gone.
      const onProgress = (): void => {
        pid ||= renderProcess();
      };
      await pool.run('video', scene(render), { onProgress });
      if (existsSync(`/proc/${pid}`)) sizes.set(pid, [...(sizes.get(pid) ?? []), megabytes(pid)]);
      if (render === 20) own = process.memoryUsage().rss;
    }
    const lives = [...sizes.values()];
    const peaks = lives.map((life) => Math.max(...life));
    const [first] = lives;
    const perRender = (first!.at(-1)! - first![9]!) / (first!.length - 10);
    tell(`${lives.length} processes, each up to ${peaks.map((peak) => peak.toFixed(0)).join(', ')} MB`);
    tell(`${perRender.toFixed(2)} MB per render within one of them`);
    tell(`${((process.memoryUsage().rss - own) / 2 ** 20).toFixed(0)} MB more in the process that asks for them`);
    expect(Math.max(...peaks)).toBeLessThan(Math.max(...peaks.slice(0, 2)) * GROWTH);
  });
});
