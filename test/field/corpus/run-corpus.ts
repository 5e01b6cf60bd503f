// npm run corpus -- <folder> [--json <file>] [--references <folder>] [--processes <count>]
import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openLottieWeb } from '../lottie-web.ts';
import { type Comparison, compareSource } from './compare-source.ts';
import { storedReferences } from './stored-references.ts';

/** An animation that takes longer counts as crashed. */
const LIMIT_MS = 120_000;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'string' }, references: { type: 'string' }, processes: { type: 'string', default: '2' } },
});

if (process.send !== undefined) await compareInTurn();
else if (positionals[0] === undefined) throw new Error('Name a folder: npm run corpus -- <folder>');
else await runCorpus(positionals[0]);

/** Child process: compares each file that it is sent, so that native code can crash without ending the run. */
async function compareInTurn(): Promise<void> {
  const player = await openLottieWeb();
  const web = options.references === undefined ? player : storedReferences(player, options.references);
  process.on('message', async (path: string) => {
    try {
      process.send!(await compareSource(JSON.parse(readFileSync(path, 'utf8')), web));
    } catch (error) {
      process.send!({ outcome: 'crashed', share: null, detail: String(error) } satisfies Comparison);
    }
  });
  process.on('disconnect', () => void web.close().then(() => process.exit()));
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

function tableOf(results: readonly (Comparison & { readonly name: string })[]): string {
  const count = (outcome: Comparison['outcome']): number => results.filter((one) => one.outcome === outcome).length;
  const compared = results.length - count('no_reference');
  const rows = (['right', 'silent', 'reported', 'refused', 'crashed'] as const).map(
    (outcome) => `| ${outcome} | ${count(outcome)} | ${percent(count(outcome) / Math.max(1, compared))} |`,
  );
  const wrong = results
    .filter(({ outcome }) => !['right', 'no_reference'].includes(outcome))
    .sort((a, b) => (b.share ?? 2) - (a.share ?? 2))
    .map(({ name, outcome, share, detail }) => `| ${name} | ${outcome} | ${percent(share)} | ${detail} |`);
  return [
    `${compared} animations compared, ${count('no_reference')} without a reference.`,
    ['', '| outcome | animations | share |', '|---|---|---|', ...rows].join('\n'),
    ['', '| animation | outcome | worst frame | detail |', '|---|---|---|---|', ...wrong].join('\n'),
  ].join('\n');
}

function percent(share: number | null): string {
  return share === null ? '' : `${(share * 100).toFixed(1)} %`;
}
