import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { canonicalJson, type Json, sha256 } from '../src/kernel/digest.ts';
import { RandomRows } from './trees/random-rows.ts';
import { TreeProgram } from './trees/tree-program.ts';
import type { TreeAnswer, TreeRow } from './trees/tree-tasks.ts';

/**
 * Compares lint of random rows of all templates of the repository with another checkout: each finding with its values, in their order.
 * `npm run bench:findings -- --tree OLD [--rows 500] [--from 0] [--seed 1] [--templates OLD] [--keep FILE]`
 *
 * `--tree` is a checkout that is built. The templates and images are its own, unless `--templates` names a checkout that has others.
 * `--keep` stores the findings of each row and commit: those of commits without changes are read again, so that a run continues.
 */
const { values } = parseArgs({
  options: {
    tree: { type: 'string' },
    templates: { type: 'string' },
    rows: { type: 'string', default: '500' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'string' },
  },
});

interface KeptAnswer {
  readonly commit: string;
  readonly row: string;
  readonly answer: TreeAnswer;
}

const kept = new Map<string, TreeAnswer>();

function readKept(file: string): void {
  for (const line of readFileSync(file, 'utf8').split('\n').slice(0, -1)) {
    const { commit, row, answer } = JSON.parse(line) as KeptAnswer;
    kept.set(`${commit} ${row}`, answer);
  }
}

async function findingsOf(program: TreeProgram, row: TreeRow): Promise<TreeAnswer> {
  const { commit } = program;
  const digest = sha256(canonicalJson(row as unknown as Json));
  const known = commit.endsWith('-dirty') ? undefined : kept.get(`${commit} ${digest}`);
  if (known !== undefined) return known;
  const answer = await program.run({ kind: 'lint', row });
  const line: KeptAnswer = { commit, row: digest, answer };
  if (values.keep !== undefined) appendFileSync(values.keep, `${JSON.stringify(line)}\n`);
  return answer;
}

/** Prints the findings that only one of two answers has, or all if only their order differs. */
function printDifference(before: TreeAnswer, after: TreeAnswer): void {
  const [old, current] = [before, after].map((answer) =>
    ('items' in answer ? answer.items : [answer]).map((item) => JSON.stringify(item)),
  ) as [string[], string[]];
  const [removed, added] = [
    old.filter((item) => !current.includes(item)),
    current.filter((item) => !old.includes(item)),
  ];
  const isOrder = removed.length + added.length === 0;
  for (const item of isOrder ? old : removed) console.log(`  - ${item}`);
  for (const item of isOrder ? current : added) console.log(`  + ${item}`);
}

if (values.tree === undefined) throw new Error('--tree names the checkout to compare with');
const tree = resolve(values.tree);
const rows = new RandomRows(resolve(values.templates ?? tree), Number(values.seed));
const end = Number(values.from) + Number(values.rows);
if (values.keep !== undefined && existsSync(values.keep)) readKept(values.keep);
const programs = await Promise.all([tree, process.cwd()].map((folder) => TreeProgram.start(folder)));
const counts = { equal: 0, different: 0, findings: 0 };
for (let index = Number(values.from); index < end; index++) {
  const row = rows.at(index);
  const [before, after] = await Promise.all(programs.map((program) => findingsOf(program, row)));
  counts.findings += 'items' in before! ? before.items.length : 0;
  const isEqual = JSON.stringify(before) === JSON.stringify(after);
  counts[isEqual ? 'equal' : 'different'] += 1;
  if (isEqual) continue;
  console.log(`row ${index}, ${row.template}`);
  printDifference(before!, after!);
}
for (const program of programs) program.stop();
console.log(
  `${end - Number(values.from)} rows with ${counts.findings} findings: ${counts.equal} equal, ${counts.different} different`,
);
if (counts.different > 0) process.exitCode = 1;
