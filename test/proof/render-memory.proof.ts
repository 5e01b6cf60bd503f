import { readFileSync } from 'node:fs';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import type { Scene } from '../../src/template/scene.ts';
import { movingScene } from '../engine/scenes.ts';
import { count, tell } from '../support/proof.ts';
import { openPool } from '../support/render-pools.ts';

const RENDERS = count(1_000, 160);
/** Until here a process is still growing into its size: the rasteriser keeps what it knows of the last hundred fonts. */
const WARM = count(200, 120);
/** Of what a process has when it is warm; the rest is what the allocator gives back late. */
const GROWTH = 1.15;

/** Ten frames of the size of a preview. */
function scene(render: number): Scene {
  return { ...movingScene({ frameCount: 10 }), width: 640, height: 360, stills: [{ name: `at ${render}`, frame: 5 }] };
}

async function renderProcess(): Promise<number> {
  const { stdout } = await execa('pgrep', ['-P', String(process.pid), '-f', 'render-process.js']);
  const [pid] = stdout.split('\n');
  return Number(pid);
}

function megabytes(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

describe.skipIf(process.platform !== 'linux')('a warm render process', () => {
  test(`has the same memory after ${RENDERS} renders`, async () => {
    // Never replaced: what leaks has to show.
    const pool = openPool({ size: 1, rendersPerProcess: Number.POSITIVE_INFINITY });
    const sizes: number[] = [];
    let pid = 0;
    for (let render = 0; render < RENDERS; render++) {
      await pool.render(scene(render));
      if (pid === 0) pid = await renderProcess();
      sizes.push(megabytes(pid, 'VmRSS'));
    }
    const [early, late] = [median(sizes.slice(WARM / 2, WARM)), median(sizes.slice(-WARM / 2))];
    const perRender = ((late - early) * 1024) / (RENDERS - WARM);
    tell(
      `${early.toFixed(0)} MB warm, ${late.toFixed(0)} MB after ${RENDERS} renders, ${perRender.toFixed(1)} kB per render`,
    );
    tell(`${megabytes(pid, 'VmHWM').toFixed(0)} MB at the most`);
    expect(late).toBeLessThan(early * GROWTH);
  });
});
