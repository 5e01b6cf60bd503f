import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import fg from 'fast-glob';
import { sha256 } from '../src/kernel/digest.ts';
import { TEMPLATES } from './trees/random-rows.ts';
import { TreeProgram } from './trees/tree-program.ts';
import type { TreeAnswer } from './trees/tree-tasks.ts';

/**
 * Compares what two checkouts draw and write: the pixels of each frame of all templates with the values of their designers, and the
 * bytes of the files that `apply` renders of the example videos, with their names. Templates and videos are those of the other checkout.
 * `npm run bench:frames -- --tree OLD [--only frames|files]`, where OLD is a checkout that is built.
 */
const { values } = parseArgs({ options: { tree: { type: 'string' }, only: { type: 'string' } } });

if (values.tree === undefined) throw new Error('--tree names the checkout to compare with');
const tree = resolve(values.tree);
const trees = [tree, process.cwd()];

/** Prints what differs. @returns number of equal and of different items */
function compare(name: string, [old, current]: readonly (readonly string[])[]): readonly [number, number] {
  const count = Math.max(old!.length, current!.length);
  const different = Array.from({ length: count }, (_, at) => at).filter((at) => old![at] !== current![at]);
  console.log(`${name.padEnd(32)} ${count - different.length} equal, ${different.length} different`);
  for (const at of different.slice(0, 5)) console.log(`  ${at}: ${old![at]} before, ${current![at]} now`);
  return [count - different.length, different.length];
}

/** @returns SHA-256 of the pixels of each frame, or the error that drawing caused */
function itemsOf(answer: TreeAnswer): readonly string[] {
  return 'items' in answer ? (answer.items as readonly string[]) : [answer.error];
}

async function compareFrames(): Promise<(readonly [number, number])[]> {
  const programs = await Promise.all(trees.map((folder) => TreeProgram.start(folder)));
  const compared: (readonly [number, number])[] = [];
  for (const manifest of fg.sync(TEMPLATES, { cwd: tree }).sort()) {
    const row = { template: join(tree, dirname(manifest)), texts: {}, files: {} };
    const answers = await Promise.all(programs.map((program) => program.run({ kind: 'frames', row })));
    compared.push(compare(dirname(manifest), answers.map(itemsOf)));
  }
  for (const program of programs) program.stop();
  return compared;
}

/** Repositories with example videos: the folders that they contain, and their settings if they have none. */
const REPOSITORIES = [
  { folder: '.', contents: ['reelform.yaml', 'templates', 'videos'], settings: null },
  {
    folder: 'starter',
    contents: ['templates', 'videos'],
    settings: 'service: embedded\ntemplates: { card: ./templates/card }\nvideos: videos/*.yaml\n',
  },
];

/** Renders the videos of a repository. @returns each file with its digest */
async function filesOf(
  program: string,
  { folder, contents, settings }: (typeof REPOSITORIES)[number],
): Promise<string[]> {
  const root = mkdtempSync(join(tmpdir(), 'reelform-frames-'));
  try {
    for (const name of contents) cpSync(join(tree, folder, name), join(root, name), { recursive: true });
    if (settings !== null) writeFileSync(join(root, 'reelform.yaml'), settings);
    const main = join(program, 'dist/cli/main.js');
    await execa(process.execPath, [main, 'apply', '--auto-approve', '--no-lint', '--no-segment-cache'], { cwd: root });
    const names = fg.sync('renders/**/*', { cwd: root }).sort();
    return names.map((name) => `${name} ${sha256(readFileSync(join(root, name)))}`);
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function compareFiles(): Promise<(readonly [number, number])[]> {
  const compared: (readonly [number, number])[] = [];
  for (const repository of REPOSITORIES.filter(({ folder }) => existsSync(join(tree, folder, 'videos')))) {
    const files: string[][] = [];
    for (const program of trees) files.push(await filesOf(program, repository));
    compared.push(compare(`files of ${basename(resolve(tree, repository.folder))}`, files));
  }
  return compared;
}

const frames = values.only === 'files' ? [] : await compareFrames();
const files = values.only === 'frames' ? [] : await compareFiles();
for (const [name, counts] of Object.entries({ frames, files })) {
  const sum = (at: 0 | 1): number => counts.reduce((total, count) => total + count[at], 0);
  console.log(`${name}: ${sum(0)} equal, ${sum(1)} different`);
  if (sum(1) > 0) process.exitCode = 1;
}
