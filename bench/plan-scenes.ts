import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Times, timedCommand } from './felt/timed-command.ts';
import { writeLock } from './plan-tree.ts';

/**
 * Compares `reelform plan` for videos of six scenes with that for one-template videos with as many values, in turns: plans of new
 * videos, and plans of rendered videos. A third kind of videos has as many values, and eleven settings of scenes: five transitions of two
 * fields, and a length. Prints wall and processor time, and their ratios to one template: with few videos, starting hides the difference.
 * `npm run bench:plan-scenes [-- --turns 3 --videos 1000]`
 */
const CLI = join(process.cwd(), 'dist/cli/main.js');
const CARD = join(process.cwd(), 'starter/templates/card');
const SCENES = 6;
/** Editables of the card. */
const VALUES = 4;

const turns = Number(option('--turns') ?? 3);
const videos = Number(option('--videos') ?? 1000);
const COUNT = videos.toLocaleString('en-US');

function option(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : process.argv[at + 1];
}

/** @param copy of the editables of the card: 0 for those of the card itself */
const values = (video: number, part: number, copy: number): string[] => [
  `t_${copy}1: Headline ${part} of ${video}`,
  `t_${copy}2: Line ${part} of ${video}`,
  `c_${copy}1: "#F7F2EB"`,
  `c_${copy}2: "#E5522E"`,
];

/** A video of one template, which has the editables of six cards. */
function plain(video: number): string {
  const lines = Array.from({ length: SCENES }, (_, part) => values(video, part, part)).flat();
  return `template: card\ntitle: Video ${video}\nresources:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

/** A video of six cards. @param isPlaced with transitions and a length that is set */
function several(video: number, isPlaced: boolean): string {
  const scenes = Array.from({ length: SCENES }, (_, part) => {
    const fields = [
      `id: scene-${part}`,
      'template: card',
      ...(isPlaced && part === 1 ? ['duration: 4.5'] : []),
      ...(isPlaced && part > 0 ? ['transition: { type: fade, duration: 0.4 }'] : []),
      'resources:',
      ...values(video, part, 0).map((line) => `  ${line}`),
    ];
    return `  - ${fields.join('\n    ')}\n`;
  });
  return `title: Video ${video}\nscenes:\n${scenes.join('')}`;
}

interface Layer {
  readonly ind?: number;
}

/** Gives a card the editables and the length of six, each editable with a layer of its own. */
function widen(folder: string): void {
  const manifest = join(folder, 'template.yaml');
  const lines = readFileSync(manifest, 'utf8').split('\n');
  const editables = lines.filter((line) => /^ {2}[tc]_0\d:/.test(line));
  const copies = Array.from({ length: SCENES - 1 }, (_, part) =>
    editables.map((line) => line.replace(/_0(\d):/, `_${part + 1}$1:`)),
  );
  writeFileSync(manifest, `${lines.join('\n').trimEnd()}\n${copies.flat().join('\n')}\n`);
  const file = join(folder, 'animation.json');
  const text = readFileSync(file, 'utf8');
  const animation = JSON.parse(text) as { op: number; layers: Layer[] };
  const layers = Array.from({ length: SCENES }, (_, part): Layer[] => {
    const renamed = part === 0 ? text : text.replaceAll(/"([tc])_0(\d)"/g, `"$1_${part}$2"`);
    return (JSON.parse(renamed) as typeof animation).layers.map((layer) => ({
      ...layer,
      ...(layer.ind !== undefined && { ind: layer.ind + part * 100 }),
    }));
  });
  const op = SCENES * animation.op;
  writeFileSync(file, JSON.stringify({ ...animation, op, layers: layers.flat().map((layer) => ({ ...layer, op })) }));
}

function makeRepository(name: string, definition: (video: number) => string): string {
  const root = join(folder, name);
  mkdirSync(join(root, 'videos'), { recursive: true });
  cpSync(CARD, join(root, 'templates/card'), { recursive: true });
  writeFileSync(
    join(root, 'reelform.yaml'),
    'service: embedded\ntemplates: { card: ./templates/card }\nvideos: videos/**/*.yaml\n',
  );
  for (let video = 0; video < videos; video++) writeFileSync(join(root, `videos/${video}.yaml`), definition(video));
  return root;
}

const folder = mkdtempSync(join(tmpdir(), 'rf-scenes-'));
const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

/** The plans of a repository in their order, which decides what each knows of those before it. */
const PLANS = [
  { name: 'new: first plan', isRendered: false, expected: `${COUNT} to create`, flags: [] },
  { name: 'new: next plan', isRendered: false, expected: `${COUNT} to create`, flags: [] },
  {
    name: 'new: no lint, no cache',
    isRendered: false,
    expected: `${COUNT} to create`,
    flags: ['--no-lint', '--no-cache'],
  },
  { name: 'rendered: no cache', isRendered: true, expected: 'No changes', flags: ['--no-cache'] },
  { name: 'rendered: first plan', isRendered: true, expected: 'No changes', flags: [] },
  { name: 'rendered: next plan', isRendered: true, expected: 'No changes', flags: [] },
  { name: 'rendered: one edit', isRendered: true, expected: '1 to update', flags: [] },
];
const LOCK = 'reelform.lock.json';

interface Repository {
  readonly root: string;
  /** The lockfile after all videos were rendered. */
  readonly lock: string;
}

async function prepare(root: string): Promise<Repository> {
  await timedCommand([CLI, 'pull'], root);
  await writeLock(root);
  // The embedded service leaves files in the repository.
  mkdirSync(join(root, 'renders'));
  for (let video = 0; video < videos; video++) writeFileSync(join(root, `renders/${video}.mp4`), 'video');
  return { root, lock: readFileSync(join(root, LOCK), 'utf8') };
}

/** Plans a repository that was planned as the `PLANS` before say. */
async function measure(
  { root, lock }: Repository,
  { name, isRendered, expected, flags }: (typeof PLANS)[number],
): Promise<Times> {
  if (isRendered) writeFileSync(join(root, LOCK), lock);
  else rmSync(join(root, LOCK), { force: true });
  const edited = join(root, 'videos/7.yaml');
  const text = readFileSync(edited, 'utf8');
  if (name.endsWith('one edit')) writeFileSync(edited, text.replace('Headline 3', `Headline of ${Date.now()}`));
  // The plan cache trusts the times of files that are a little older.
  await setTimeout(50);
  const times = await timedCommand([CLI, 'plan', ...flags], root, expected);
  writeFileSync(edited, text);
  return times;
}

try {
  const wide = makeRepository('plain', plain);
  widen(join(wide, 'templates/card'));
  const repositories = [
    await prepare(wide),
    await prepare(makeRepository('scenes', (video) => several(video, false))),
    await prepare(makeRepository('placed', (video) => several(video, true))),
  ];
  /** By repository, turn and plan. */
  const measured: Times[][][] = repositories.map(() => []);
  for (let turn = 0; turn < turns; turn++) {
    for (const [at, { root }] of repositories.entries()) {
      measured[at]!.push([]);
      rmSync(join(root, '.reelform'), { recursive: true, force: true });
    }
    // Repositories take turns at each plan, because the machine is faster in some minutes than in others.
    for (const plan of PLANS) {
      for (const [at, repository] of repositories.entries()) measured[at]![turn]!.push(await measure(repository, plan));
    }
  }
  const kinds = ['one template', `${SCENES} scenes`, `${SCENES} scenes with settings`];
  console.log(`${COUNT} videos of ${SCENES * VALUES} values, medians of ${turns}: ${kinds.join('; ')}`);
  for (const [plan, { name }] of PLANS.entries()) {
    const compared = (['wall', 'processor'] as const).map((key) => {
      const medians = measured.map((all) => median(all.map((times) => times[plan]![key])));
      const shown = medians.map((ms, kind) => {
        return `${ms.toFixed(0)} ms${kind === 0 ? '' : ` (${(ms / medians[0]!).toFixed(2)})`}`;
      });
      return `${key} ${shown.join(', ')}`;
    });
    console.log(`${name.padEnd(24)}${compared.join('; ')}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
