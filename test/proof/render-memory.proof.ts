import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RenderInput } from '../../src/template/render-input.ts';
import { movingInput } from '../engine/inputs.ts';
import { count, tell } from '../support/proof.ts';
import { openPool } from '../support/render-pools.ts';

const RENDERS = count(1_000, 40);
/** Allowed growth of later processes over the first two. */
const GROWTH = 1.1;

/** Ten frames at preview size. */
function renderInput(render: number): RenderInput {
  return { ...movingInput({ frameCount: 10 }), width: 640, height: 360, stills: [{ name: `at ${render}`, frame: 5 }] };
}

/** Process id of this process's youngest child. */
function renderProcess(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ');
  return Math.max(...children.map(Number));
}

function megabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

describe.skipIf(process.platform !== 'linux')('warm render processes', () => {
  test(`use the same memory after ${RENDERS} renders`, async () => {
    const pool = openPool({ size: 1 });
    // Per process: each runs as many renders as in production, including what the rasteriser leaks per input.
    const sizes = new Map<number, number[]>();
    let own = 0;
    for (let render = 0; render < RENDERS; render++) {
      let pid = 0;
      // Read during the render, because a process ends after its last one.
      const onProgress = (): void => {
        pid ||= renderProcess();
      };
      await pool.run('video', renderInput(render), { onProgress });
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
