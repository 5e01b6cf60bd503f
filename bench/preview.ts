import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { changedRepository } from './previews/changed-repository.ts';
import { DRAW, drawInputs, drawnAlone, renderedAlone, scenesOf } from './previews/drawn-alone.ts';
import { measuredCommand } from './previews/measured-command.ts';
import { recordFigure } from './record-figure.ts';

/**
 * Measures stills of changed videos, before and after, with the whole command, and the lower bound in the same run: the
 * same frames, set up and drawn by one warm process per core. `draft` adds short videos, whose lower bound is a warm
 * pool; `upgrade` changes the template of all videos within the one-minute budget of a plan.
 * `npm run bench:preview [videos] [stills|draft|upgrade]`
 */
const [first, second] = process.argv.slice(2);
if (first === DRAW) await drawInputs(second!);
else await measure(Number(first ?? 40), second ?? 'stills');

async function measure(count: number, kind: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reelform-bench-'));
  try {
    const { root, former } = await changedRepository(folder, count, kind === 'upgrade' ? 'template' : 'texts');
    const look = ['--preview', kind === 'draft' ? 'draft' : 'stills', '--base', 'HEAD', '--preview-dir', 'looks'];
    const budget = ['--preview-budget', kind === 'upgrade' ? '60' : '3600'];
    const command = [join(process.cwd(), 'dist/cli/main.js'), 'plan', '--json', '--no-lint'];
    const whole = await measuredCommand([...command, '--target', 'launch/bench-*', ...look, ...budget], root);
    const plain = await measuredCommand([...command, '--target', 'launch/bench-*'], root);
    const { videos, left_out, contact_sheet, seconds } = JSON.parse(
      readFileSync(join(root, 'looks/index.json'), 'utf8'),
    );
    const times = new Map<string, number[]>();
    for (const { id, stills } of videos) {
      times.set(
        id,
        stills.map((still: { time: number }) => still.time),
      );
    }
    const moments = [...times.values()].flat().length;
    const sheet = contact_sheet === null ? '' : `, contact sheet of ${contact_sheet.width} × ${contact_sheet.height}`;
    tell('drawn', `${videos.length} videos, ${moments} moments before and after${sheet}`);
    if (left_out.length > 0) tell('left out', `${left_out.length}`);
    tell('machine', `${availableParallelism()} cores, Node ${process.versions.node}`);
    const each = (all: number): string => `${ms(all / videos.length)} a video, ${ms(all / moments)} a moment`;
    tell('the whole command', `${whole.seconds.toFixed(1)} s; ${each(whole.seconds)}`);
    tell('processor time of all its processes', `${whole.cpuSeconds.toFixed(1)} s; ${each(whole.cpuSeconds)}`);
    tell('of the command, with a scene being drawn', `${((100 * seconds.rendering) / whole.seconds).toFixed(0)} %`);
    const { seconds: s, cpuSeconds: cpu } = plain;
    tell('a plan without pictures', `${s.toFixed(1)} s; ${cpu.toFixed(1)} s of processor time`);
    if (whole.peakBytes > 0) tell('most memory, all processes', `${(whole.peakBytes / 1e6).toFixed(0)} MB`);
    const inputs = [...(await scenesOf(former, times)), ...(await scenesOf(root, times))];
    const limit = kind === 'draft' ? await renderedAlone(inputs) : await drawnAlone(inputs, folder);
    const took = limit.cpuSeconds === null ? '' : `; ${limit.cpuSeconds.toFixed(1)} s of processor time`;
    tell('limit: warm processes that only draw', `${limit.frameCount} frames in ${limit.seconds.toFixed(1)} s${took}`);
    tell('the command to its limit', (whole.seconds / limit.seconds).toFixed(2));
    if (limit.cpuSeconds !== null) {
      tell('the same in processor time', (whole.cpuSeconds / limit.cpuSeconds).toFixed(2));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function ms(seconds: number): string {
  return `${(seconds * 1000).toFixed(0)} ms`;
}

function tell(name: string, value: string): void {
  recordFigure('', name, value);
  console.log(`${name.padEnd(44)} ${value}`);
}
