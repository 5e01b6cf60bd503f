import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { parse, stringify } from 'yaml';
import { lintInput } from '../src/engine/lint/lint-input.ts';
import { recordFigure } from './record-figure.ts';
import { median } from './render-stages.ts';
import { templateInput } from './template-input.ts';

/**
 * Measures lint of rows of a template that differ in a text: the first row, once its code is loaded, and further rows. With `--plans`,
 * also a plan of many new rows, in turns with the programs of other checkouts.
 * `npm run bench:rows [-- --template templates/launch --editable t_01 --rows 10 --plans 160 --rounds 3 --cli OTHER/dist/cli/main.js]`
 */
const { values } = parseArgs({
  options: {
    template: { type: 'string', default: 'templates/launch' },
    warm: { type: 'string', default: 'starter/templates/card' },
    editable: { type: 'string', default: 't_01' },
    rows: { type: 'string', default: '10' },
    plans: { type: 'string', default: '0' },
    rounds: { type: 'string', default: '3' },
    cli: { type: 'string', multiple: true, default: [] },
  },
});

function tell(name: string, value: string): void {
  recordFigure(values.template, name, value);
  console.log(`${name.padEnd(52)} ${value}`);
}

/** Processor time of a row in milliseconds. */
async function lintRow(folder: string, row: number): Promise<number> {
  const renderInput = templateInput(folder, { [values.editable]: `Row number ${row}` });
  const before = process.cpuUsage();
  await lintInput(renderInput);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Creates a repository of rows that were never rendered. */
function makeRows(count: number): string {
  const root = mkdtempSync(join(tmpdir(), 'reelform-rows-'));
  const name = basename(values.template);
  cpSync(values.template, join(root, name), { recursive: true });
  const manifestPath = join(root, name, 'template.yaml');
  const manifest = parse(readFileSync(manifestPath, 'utf8')) as { editables: Record<string, object> };
  // The rows have the template's own values of all other editables.
  for (const editable of Object.values(manifest.editables)) Object.assign(editable, { required: false });
  writeFileSync(manifestPath, stringify(manifest));
  writeFileSync(
    join(root, 'reelform.yaml'),
    `service: embedded\ntemplates:\n  ${name}: ./${name}\nvideos: videos/*.yaml\n`,
  );
  mkdirSync(join(root, 'videos'));
  for (let row = 0; row < count; row++) {
    const text = `template: ${name}\ntitle: Row ${row}\nresources:\n  ${values.editable}: Row number ${row}\n`;
    writeFileSync(join(root, 'videos', `row-${row}.yaml`), text);
  }
  return root;
}

async function planSeconds(cli: string, count: number): Promise<{ seconds: number; checked: number }> {
  const root = makeRows(count);
  const started = performance.now();
  const { stdout } = await execa(process.execPath, [cli, 'plan', '--json'], { cwd: root });
  const seconds = (performance.now() - started) / 1000;
  rmSync(root, { recursive: true });
  const { lint } = JSON.parse(stdout) as { lint: { videos: number } };
  return { seconds, checked: lint.videos };
}

await lintRow(values.warm, 0);
const first = await lintRow(values.template, 0);
const further: number[] = [];
for (let row = 1; row < Number(values.rows); row++) further.push(await lintRow(values.template, row));
tell('lint of the first row, processor time', `${first.toFixed(0)} ms`);
tell('lint of a further row, processor time', `${median(further).toFixed(0)} ms`);
tell('  of the first', `${((median(further) / first) * 100).toFixed(0)} %`);

const count = Number(values.plans);
const programs = [join(process.cwd(), 'dist/cli/main.js'), ...values.cli];
const seconds = new Map<string, number[]>();
for (let round = 0; round < (count === 0 ? 0 : Number(values.rounds)); round++) {
  for (const cli of programs) {
    const plan = await planSeconds(cli, count);
    seconds.set(cli, [...(seconds.get(cli) ?? []), plan.seconds]);
    tell(`plan of ${count} rows, ${plan.checked} checked`, `${plan.seconds.toFixed(1)} s  ${cli}`);
  }
}
for (const [cli, all] of seconds) tell(`plan of ${count} rows, median`, `${median(all).toFixed(1)} s  ${cli}`);
