import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { addExamples, commit, editText } from './felt/example-repository.ts';
import { installProgram } from './felt/installed-program.ts';
import { type Times, timedCommand, timedPreview } from './felt/timed-command.ts';
import { recordFigure } from './record-figure.ts';

/**
 * Measures how long users wait for a command, in empty Node processes: wall time, and processor time of all processes. Runs the
 * packages that the build wrote, in a repository made by `init` with example templates and videos. With `--tree`, other
 * built checkouts take turns with this one.
 * `npm run bench:felt [-- --tree FOLDER --rounds 5 --only plan,validate --certificates]`
 */
const { values } = parseArgs({
  options: {
    tree: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    // See `environment`.
    certificates: { type: 'boolean' },
  },
});
const rounds = Number(values.rounds);
const only = values.only.split(',').filter((name) => name !== '');

/** Maximum time of each command, in empty Node processes. */
const AIMS: Readonly<Record<string, number>> = {
  'plan: one edit, with lint': 12,
  'apply: one edit': 30,
  init: 10,
  'template add': 10,
  validate: 4,
  'preview: page': 8,
};
const EMPTY = 'empty node';
const ANIMATION = resolve('docs/media/promo.json');

/** An installed program and its repository. */
interface Installation {
  readonly name: string;
  readonly program: string;
  /** Folder for new repositories. */
  readonly folder: string;
  readonly root: string;
  readonly times: Map<string, Times[]>;
}

async function install(tree: string, folder: string): Promise<Installation> {
  const root = join(folder, 'repository');
  mkdirSync(root, { recursive: true });
  const program = installProgram(tree, folder);
  await timedCommand([program, 'init', root, '--yes'], folder);
  await addExamples(root);
  if (isMeasured('plan') || isMeasured('apply') || isMeasured('preview')) {
    await timedCommand([program, 'apply', '--auto-approve'], root, '4 rendered');
    await commit(root);
    await timedCommand([program, 'plan'], root, 'No changes');
  }
  return { name: basename(resolve(tree)), program, folder, root, times: new Map() };
}

function isMeasured(name: string): boolean {
  return only.length === 0 || only.some((given) => name.startsWith(given));
}

function note({ times }: Installation, name: string, measured: Times): void {
  times.set(name, [...(times.get(name) ?? []), measured]);
}

/** The commands in the order in which they are measured. Each may leave changes in the repository only for the next one. */
const COMMANDS: Readonly<Record<string, (installation: Installation, round: number) => Promise<void>>> = {
  init: async (installation, round) => {
    const { program, folder } = installation;
    note(installation, 'init', await timedCommand([program, 'init', `new-${round}`, '--yes'], folder, 'written'));
  },
  'template add': async (installation, round) => {
    const { program, folder } = installation;
    const added = join(folder, `added-${round}`);
    mkdirSync(added);
    note(installation, 'template add', await timedCommand([program, 'template', 'add', ANIMATION], added, 'promo'));
  },
  validate: async (installation) => {
    const { program, root } = installation;
    note(installation, 'validate', await timedCommand([program, 'validate'], root, 'valid'));
  },
  plan: async (installation, round) => {
    const { program, root } = installation;
    note(installation, 'plan: nothing to do', await timedCommand([program, 'plan'], root, 'No changes'));
    editText(root, `Planned in round ${round}`);
    note(installation, 'plan: one edit, with lint', await timedCommand([program, 'plan'], root, '1 to update'));
    // Restores what `plan: nothing to do` needs.
    if (!isMeasured('apply')) editText(root, 'Light that lands softly');
  },
  apply: async (installation, round) => {
    const { program, root } = installation;
    editText(root, `Applied in round ${round}`);
    const measured = await timedCommand([program, 'apply', '--auto-approve'], root, '1 rendered');
    note(installation, 'apply: one edit', measured);
    await commit(root);
  },
  preview: async (installation) => {
    const { page, state } = await timedPreview(installation.program, installation.root);
    note(installation, 'preview: page', page);
    note(installation, 'preview: videos', state);
  },
};

function median(all: readonly number[]): number {
  return [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
}

function report(installations: readonly Installation[]): void {
  const names = [...installations[0]!.times.keys()];
  const empty = installations.flatMap(({ times }) => times.get(EMPTY)!);
  const units = { wall: median(empty.map(({ wall }) => wall)), processor: median(empty.map((all) => all.processor)) };
  console.log(`\nmedians of ${rounds}: ms, × an empty node; wall time, then processor time of all processes`);
  for (const { name } of installations.slice(0, installations.length > 1 ? undefined : 0)) {
    console.log(`${name === installations[0]!.name ? 'first' : 'then'}: ${name}`);
  }
  for (const name of names) {
    const aim = AIMS[name];
    const columns = installations.map(({ name: group, times }, at) => {
      const of = (key: keyof Times): { ms: number; ratio: number } => {
        const ms = median(times.get(name)!.map((all) => all[key]));
        return { ms, ratio: ms / units[key] };
      };
      const [wall, processor] = [of('wall'), of('processor')];
      const text = `${wall.ms.toFixed(0)} ms, ${wall.ratio.toFixed(1)} × an empty node`;
      const aimed = aim === undefined ? '' : `, aim ${aim}`;
      const processorText = `${processor.ms.toFixed(0)} ms of processor time, ${processor.ratio.toFixed(1)} ×`;
      recordFigure(at === 0 ? '' : group, name, `${text}${aimed}; ${processorText}`, wall.ms);
      const cells = [wall, processor].map(
        ({ ms, ratio }) => `${ms.toFixed(0).padStart(7)} ${ratio.toFixed(1).padStart(6)}`,
      );
      return cells.join('  ');
    });
    console.log(`${name.padEnd(28)}${columns.join('   |')}   ${aim === undefined ? '' : `aim ${aim}`}`);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'rf-felt-'));
try {
  const installations: Installation[] = [];
  for (const [at, tree] of ['.', ...values.tree].entries()) {
    installations.push(await install(tree, join(folder, String(at))));
  }
  const measured = Object.entries(COMMANDS).filter(([name]) => isMeasured(name));
  for (let round = 0; round < rounds; round++) {
    // In turns: what runs second finds a machine that is busy, or warm, from the first.
    const inTurn = round % 2 === 0 ? installations : [...installations].reverse();
    for (const installation of inTurn) {
      note(installation, EMPTY, await timedCommand(['-e', '0'], folder));
    }
    for (const [, measure] of measured) for (const installation of inTurn) await measure(installation, round);
  }
  report(installations);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
