import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { timedCommand } from './felt/timed-command.ts';
import { makeTree, pathOf, writeLock } from './plan-tree.ts';
import { recordFigure } from './record-figure.ts';

/**
 * Compares `reelform plan` for definitions with several locales with that for as many videos without, both rendered, in turns; and
 * `reelform locales extract` with `reelform validate`, which reads the repository. Prints seconds of processor time of the whole command.
 * `npm run bench:locales [-- --definitions 10000 --locales 8 --turns 3]`
 */
const { values } = parseArgs({
  options: {
    definitions: { type: 'string', default: '10000' },
    locales: { type: 'string', default: '8' },
    turns: { type: 'string', default: '3' },
  },
});
const definitions = Number(values.definitions);
const turns = Number(values.turns);
const [SOURCE, ...targets] = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'ja', 'ko', 'pl'].slice(
  0,
  Number(values.locales),
);
const videos = definitions * (targets.length + 1);

const CLI = join(process.cwd(), 'dist/cli/main.js');
const PLAN_CACHE = '.reelform/plan-cache.json';
const NOTHING = 'No changes';

/** A repository whose definitions have all locales, with complete catalogues, and the lockfile of an apply. */
async function makeTranslated(): Promise<string> {
  const root = await makeTree(definitions);
  const settings = `{source: ${SOURCE}, targets: [${targets.join(', ')}], files: "locales/{locale}.po"}`;
  appendFileSync(join(root, 'reelform.yaml'), `locales: ${settings}\n`);
  for (let index = 0; index < definitions; index++) appendFileSync(join(root, pathOf(index)), 'locales: all\n');
  await timedCommand([CLI, 'locales', 'extract'], root);
  const folder = join(root, 'locales');
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8');
    // Each text is its own translation. The header has no text.
    const translated = text.replaceAll(/^msgid ((?:".*"\n)+)msgstr ""$/gm, (entry, id: string) =>
      id === '""\n' ? entry : `msgid ${id}msgstr ${id.trimEnd()}`,
    );
    writeFileSync(join(folder, name), translated);
  }
  await writeLock(root);
  return root;
}

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

function tell(name: string, value: string): void {
  recordFigure('', name, value);
  console.log(`${name.padEnd(48)} ${value}`);
}

/** Returns the median milliseconds of processor time of commands that alternate. */
async function compare(commands: readonly (() => Promise<number>)[]): Promise<number[]> {
  const times = commands.map((): number[] => []);
  for (let turn = 0; turn < turns; turn++) {
    for (const [at, command] of commands.entries()) times[at]!.push(await command());
  }
  return times.map(median);
}

const command =
  (root: string, args: readonly string[], expected = '') =>
  async (): Promise<number> =>
    (await timedCommand([CLI, ...args], root, expected)).processor;

function tellRatio(name: string, ms: number, of: number): void {
  tell(name, `${seconds(ms)}, ratio ${(ms / of).toFixed(2)}`);
}

function lockBytes(root: string): string {
  const text = readFileSync(join(root, 'reelform.lock.json'), 'utf8');
  const count = Object.keys((JSON.parse(text) as { videos: object }).videos).length;
  if (count !== videos) throw new Error(`${count} of ${videos} videos are recorded`);
  return `${(text.length / 1e6).toFixed(1)} MB of lockfile`;
}

const roots: string[] = [];
try {
  const [plain, translated] = [await makeTree(videos), await makeTranslated()];
  roots.push(plain, translated);
  tell('videos', `${videos}: ${definitions} definitions in ${targets.length + 1} locales`);
  const whole = ['plan', '--no-cache', '--no-lint'];
  const [one, several] = await compare([command(plain, whole, NOTHING), command(translated, whole, NOTHING)]);
  tell(`plan of ${videos} definitions, all read`, `${seconds(one!)}, ${lockBytes(plain)}`);
  tellRatio(`plan of ${definitions} definitions, all read`, several!, one!);
  tell('', lockBytes(translated));
  for (const root of roots) rmSync(join(root, PLAN_CACHE), { force: true });
  for (const root of roots) for (let run = 0; run < 2; run++) await command(root, ['plan', '--no-lint'], NOTHING)();
  const again = ['plan', '--no-lint'];
  const [known, knownSeveral] = await compare([command(plain, again, NOTHING), command(translated, again, NOTHING)]);
  tell(`plan of ${videos} definitions, nothing changed`, seconds(known!));
  tellRatio(`plan of ${definitions} definitions, nothing changed`, knownSeveral!, known!);
  const [read, extract] = await compare([
    command(translated, ['validate']),
    command(translated, ['locales', 'extract']),
  ]);
  tell('validate', seconds(read!));
  tellRatio('locales extract', extract!, read!);
} finally {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
}
