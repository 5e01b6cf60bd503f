import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { makeTree, pathOf } from './plan-tree.ts';

/**
 * Measures a plan that searches the history of the lockfile for one edited video: without the index, with it, and after a
 * new commit. `npm run bench:history [-- --videos 10000 --commits 1000 --cli FILE]`
 */
const videos = Number(option('--videos') ?? 10_000);
const commits = Number(option('--commits') ?? 1_000);
const cli = option('--cli') ?? join(process.cwd(), 'dist/cli/main.js');
/** Number of entries that each commit renders again. */
const CHANGES = 10;
const LOCK = 'reelform.lock.json';

function option(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : process.argv[at + 1];
}

/** Commits versions of the lockfile whose first half of entries has other fingerprints, and the present one at the end. */
async function makeHistory(root: string): Promise<void> {
  const git = execa({ cwd: root, env: { GIT_CONFIG_GLOBAL: '/dev/null' } });
  await git`git init --quiet --initial-branch=main`;
  const lock = readFileSync(join(root, LOCK));
  const places = [...lock.toString('latin1').matchAll(/(?<="fingerprint": "v1:)/g)].map(({ index }) => index);
  const importing = git('git', ['fast-import', '--quiet'], { stdin: 'pipe' });
  const write = async (data: string | Buffer): Promise<void> => {
    if (!importing.stdin.write(data)) await once(importing.stdin, 'drain');
  };
  const version = Buffer.from(lock);
  for (let commit = 0; commit < commits; commit++) {
    for (let change = 0; change < CHANGES; change++) {
      const place = places[(commit * 7919 + change * 104_729) % places.length]!;
      version.write(`${commit}`.padStart(8, '0'), place, 'latin1');
    }
    const person = `committer Bench <bench@localhost> ${1_800_000_000 + commit} +0000`;
    const content = commit === commits - 1 ? lock : version;
    const head = `commit refs/heads/main\n${person}\ndata 4\nLock\nM 100644 inline ${LOCK}\ndata ${content.length}\n`;
    await write(head);
    await write(Buffer.from(content));
    await write('\n');
  }
  importing.stdin.end();
  await importing;
  await git`git reset --quiet`;
}

async function plan(name: string, root: string): Promise<void> {
  const started = performance.now();
  const { stdout, stderr } = await execa(process.execPath, [cli, 'plan'], { cwd: root, env: { NO_COLOR: '1' } });
  const seconds = ((performance.now() - started) / 1000).toFixed(2);
  const isSearched = !stderr.includes('history_unsearched');
  console.log(`${name.padEnd(28)} ${seconds.padStart(7)} s  ${isSearched ? 'searched' : 'not searched'}`);
  if (!stdout.includes('1 to update')) throw new Error(stdout.slice(0, 300));
}

const root = await makeTree(videos);
try {
  await makeHistory(root);
  const edited = join(root, pathOf(Math.floor(videos / 2)));
  writeFileSync(edited, readFileSync(edited, 'utf8').replace('Text of', 'Other text of'));
  const megabytes = (readFileSync(join(root, LOCK)).length / 1e6).toFixed(1);
  console.log(`${videos} videos, lockfile of ${megabytes} MB, ${commits} commits`);
  await plan('first plan', root);
  await plan('again', root);
  await plan('again', root);
  rmSync(join(root, '.reelform/history.idx'), { force: true });
  await plan('without the index', root);
  await plan('again', root);
  await execa(
    'git',
    ['-c', 'user.name=Bench', '-c', 'user.email=b@localhost', 'commit', '--quiet', '--allow-empty', '-m', 'x'],
    { cwd: root },
  );
  await plan('after a new commit', root);
} finally {
  rmSync(root, { recursive: true, force: true });
}
