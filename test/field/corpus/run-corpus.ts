// npm run corpus -- <folder> [--json <file>] [--references <folder>] [--processes <count>] [--baseline <file>]
import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openLottieWeb } from '../lottie-web.ts';
import { openThorvg } from '../thorvg.ts';
import { type Comparison, compareSource } from './compare-source.ts';
import { storedReferences } from './stored-references.ts';

const OUTCOMES = ['right', 'edges', 'disputed', 'silent', 'reported', 'refused', 'crashed'] as const;
/** From best to worst. Wrong is wrong, reported or not. */
const RANKS = ['right', 'edges', 'disputed', 'reported', 'silent', 'refused', 'crashed'];

/** An animation that takes longer counts as crashed. */
const LIMIT_MS = 120_000;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'string' },
    references: { type: 'string' },
    baseline: { type: 'string' },
    processes: { type: 'string', default: '2' },
  },
});

if (process.send !== undefined) await compareInTurn();
else if (positionals[0] === undefined) throw new Error('Name a folder: npm run corpus -- <folder>');
else await runCorpus(positionals[0]);

/** Child process: compares each file that it is sent, so that native code can crash without ending the run. */
async function compareInTurn(): Promise<void> {
  const player = await openLottieWeb();
  const lottieWeb = options.references === undefined ? player : storedReferences(player, options.references);
  const thorvg = openThorvg();
  process.on('message', async (path: string) => {
    try {
      process.send!(await compareSource(JSON.parse(readFileSync(path, 'utf8')), { lottieWeb, thorvg }));
    } catch (error) {
      process.send!({ outcome: 'crashed', share: null, detail: String(error) } satisfies Comparison);
    }
  });
  process.on('disconnect', () => void Promise.all([player.close(), thorvg.close()]).then(() => process.exit()));
}

async function runCorpus(folder: string): Promise<void> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort();
  const results = new Map<string, Comparison>();
  const waiting = [...names];
  const run = async (): Promise<void> => {
    let child: ChildProcess | undefined;
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      child ??= fork(process.argv[1]!, process.argv.slice(2), { execArgv: ['--expose-gc'] });
      const result = await compareIn(child, join(folder, name));
      results.set(name, result);
      console.error(
        [`${results.size}/${names.length}`, result.outcome, percent(result.share), name, result.detail].join(' '),
      );
      if (result.outcome !== 'crashed') continue;
      child.kill('SIGKILL');
      child = undefined;
    }
    child?.disconnect();
  };
  await Promise.all(Array.from({ length: Number(options.processes) }, run));
  const ordered = names.map((name) => ({ name, ...results.get(name)! }));
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(ordered, null, 2)}\n`);
  console.log(tableOf(ordered));
}

function compareIn(child: ChildProcess, path: string): Promise<Comparison> {
  return new Promise((resolve) => {
    const end = (result: Comparison): void => {
      clearTimeout(timer);
      child.removeAllListeners();
      resolve(result);
    };
    const crash = (detail: string): void => end({ outcome: 'crashed', share: null, detail });
    const timer = setTimeout(() => crash(`not done after ${LIMIT_MS / 1000} s`), LIMIT_MS);
    child.once('message', (result) => end(result as Comparison));
    child.once('exit', (code, signal) => crash(`the process ended: ${signal ?? code}`));
    child.send(path);
  });
}

type Named = Comparison & { readonly name: string };

/** Writes the figures, beside those of a baseline for the animations that both compared. */
function tableOf(all: readonly Named[]): string {
  const results = all.filter(({ outcome }) => outcome !== 'no_reference');
  const before = new Map(baseline().map((one) => [one.name, one]));
  const known = results.filter(({ name }) => before.has(name));
  const earlier = known.map(({ name }) => before.get(name)!);
  const cells = (count: (list: readonly Comparison[]) => number): string => {
    const of = (list: readonly Comparison[]): string =>
      `${count(list)} | ${percent(count(list) / Math.max(1, list.length))} |`;
    return before.size === 0 ? of(results) : `${of(earlier)} ${of(known)}`;
  };
  const rows = OUTCOMES.map(
    (name) => `| ${name} | ${cells((list) => list.filter(({ outcome }) => outcome === name).length)}`,
  );
  rows.push(`| false alarms | ${cells((list) => list.filter(isFalseAlarm).length)}`);
  const wrong = results
    .filter(({ outcome }) => outcome !== 'right')
    .sort((a, b) => (b.share ?? 2) - (a.share ?? 2))
    .map(({ name, outcome, share, detail }) => `| ${name} | ${outcome} | ${percent(share)} | ${detail} |`);
  const worse = known.filter((one) => RANKS.indexOf(one.outcome) > RANKS.indexOf(before.get(one.name)!.outcome));
  const head = before.size === 0 ? ['animations', 'share'] : ['before', 'share', 'after', 'share'];
  return [
    `${results.length} animations compared, ${all.length - results.length} without a reference.`,
    ['', `| outcome | ${head.join(' | ')} |`, `|${'---|'.repeat(head.length + 1)}`, ...rows].join('\n'),
    ['', '| animation | outcome | worst frame | detail |', '|---|---|---|---|', ...wrong].join('\n'),
    ...(worse.length === 0 ? [] : [`\nWorse than before: ${worse.map(({ name }) => name).join(', ')}`]),
  ].join('\n');
}

/** Animations that a baseline, written with `--json`, compared. */
function baseline(): Named[] {
  if (options.baseline === undefined) return [];
  const results = JSON.parse(readFileSync(options.baseline, 'utf8')) as Named[];
  return results.filter(({ outcome }) => outcome !== 'no_reference');
}

/** Returns whether an animation that is right is reported as using unsupported features. */
function isFalseAlarm({ outcome, thorvg, detail }: Comparison): boolean {
  const isRight = (outcome === 'right' || outcome === 'edges') && thorvg === undefined;
  // The players do differ, as the finding says.
  const isToldSo = detail.split(', ').every((one) => one.startsWith('other_players: '));
  return detail !== '' && (isRight || (outcome === 'disputed' && !isToldSo));
}

function percent(share: number | null): string {
  return share === null ? '' : `${(share * 100).toFixed(1)} %`;
}
