import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeKeptProgram } from '../support/kept-program.ts';
import { count, IS_WHOLE } from '../support/proof.ts';
import { makeFolder } from '../support/repository.ts';
import { PROGRAM } from '../support/spawned-program.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Pages to follow from the first line to the last, in the repository of "Install". All but the first begin with a rendered video. */
const PAGES = [
  'start/first-video.md',
  'guides/templates-from-lottie.md',
  'guides/data-driven-videos.md',
  'guides/media.md',
  'guides/outputs.md',
  'guides/review-in-pull-requests.md',
  'guides/apply-on-merge.md',
  'guides/policies.md',
];

interface Block {
  /** Paragraph above the block. */
  readonly before: string;
  readonly language: string;
  readonly text: string;
}

/** Code blocks of a page without those that it marks as `<!-- skip -->`. */
function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
  const found = text.matchAll(
    /(?<before>(?:[^\n`][^\n]*\n|`[^`\n][^\n]*\n)*)\n*```(?<language>\w+)\n(?<text>.*?)^```$/gms,
  );
  return [...found]
    .map(({ groups }) => groups as unknown as Block)
    .filter(({ before }) => !before.includes('<!-- skip'));
}

/** Replaces what differs from run to run or from machine to machine: durations, digests, commits. */
function stable(output: string): string {
  return (
    output
      // Lint reports its progress if it takes long.
      .replaceAll(/^Checked \d+ of \d+ videos? for visible problems\.\n/gm, '')
      // As apply reports a video that takes long.
      .replaceAll(/^… \S+ +begun\n/gm, '')
      .replaceAll(/ *(?:\d+(?:\.\d)? s|\d+:\d\d min)(?= |,|\.?$)/gm, ' N s')
      .replaceAll(/(?<=-)[0-9a-f]{8}(?=\.\w+)|\b[0-9a-f]{12}\b|(?<=tsv_)[0-9a-f]{24}/g, 'ID')
      .replaceAll(/[ \t]+$/gm, '')
      .trim()
  );
}

/** Compares what a command prints with a page, in which a line `…` stands for any lines. */
function expectOutput(output: string, expected: string): void {
  const parts = stable(expected)
    .split(/^…$/m)
    .map((part) => part.trim());
  if (parts.length === 1) expect(stable(output)).toBe(parts[0]);
  for (const part of parts) expect(stable(output)).toContain(part);
}

interface Repository {
  readonly root: string;
  run(command: string): Promise<string>;
}

/** Opens a folder with the repository `my-videos` and the clone beside it. */
function openRepository(folder: string): Repository {
  const root = join(folder, 'my-videos');
  const who = { name: 'Ada', email: 'ada@example.com' };
  const env = {
    NO_COLOR: '1',
    COLUMNS: '120',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: who.name,
    GIT_AUTHOR_EMAIL: who.email,
    GIT_COMMITTER_NAME: who.name,
    GIT_COMMITTER_EMAIL: who.email,
    PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
  };
  const run = async (command: string): Promise<string> => {
    const text = command.replaceAll('npx reelform', 'reelform');
    return (await execa('bash', ['-c', text], { cwd: root, env, reject: false, all: true })).all;
  };
  return { root, run };
}

/** The repository of "Install", and the same with its video rendered. */
const start = { install: makeFolder({}), rendered: makeFolder({}) };

beforeAll(async () => {
  const { install, rendered } = start;
  symlinkSync(ROOT, join(install, 'reelform'));
  for (const name of ['bin', 'my-videos']) mkdirSync(join(install, name));
  const program = join(install, 'bin/reelform');
  if (IS_WHOLE) symlinkSync(PROGRAM, program);
  else await writeKeptProgram(program);
  await openRepository(install).run(
    'npx reelform init . --yes && git init --quiet --initial-branch=main && git add --all && git commit -qm Start',
  );
  cpSync(install, rendered, { recursive: true, verbatimSymlinks: true });
  await openRepository(rendered).run('npx reelform apply --auto-approve && git add --all && git commit -qm Rendered');
});

async function follow({ root, run }: Repository, { before, language, text }: Block): Promise<void> {
  // The last path of the paragraph is the one that its last sentence is about.
  const path = join(root, [...before.matchAll(/`([\w./-]+\.\w+)`/g)].at(-1)?.[1] ?? '');
  if (language === 'sh') await run(text);
  else if (language === 'console') {
    for (const step of text.split(/^\$ /m).slice(1)) {
      const [command, ...expected] = step.split('\n');
      expectOutput(await run(command!), expected.join('\n'));
    }
  } else if (language === 'diff') {
    const lines = (sign: string): string =>
      [...text.matchAll(/^([-+])(.*)$/gm)].flatMap(([, own, line]) => (own === sign ? line! : [])).join('\n');
    const file = readFileSync(path, 'utf8');
    expect(file).toContain(lines('-'));
    writeFileSync(path, file.replace(lines('-'), lines('+')));
  } else if (/\b(?:Create|Replace|replace) `/.test(before)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } else if (/\bcontains\b/.test(before)) expect(readFileSync(path, 'utf8')).toBe(text);
}

describe.each(PAGES.filter((_, index) => index % count(1, 7) === 0))('docs/%s', (page) => {
  it('works as written', async () => {
    const folder = makeFolder({});
    cpSync(page === PAGES[0] ? start.install : start.rendered, folder, { recursive: true, verbatimSymlinks: true });
    const blocks = blocksOf(page);
    expect(blocks.filter(({ language }) => language === 'console')).not.toEqual([]);
    for (const block of blocks) await follow(openRepository(folder), block);
  });
});
