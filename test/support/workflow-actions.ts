import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { initializeIn } from './git-repository.ts';
import { writeKeptProgram } from './kept-program.ts';

/** Storage of the replacements of GitHub's own actions, kept between runs. */
export interface ActionStore {
  /** Absolute path of `<run>/<artifact>/…`. */
  readonly artifacts: string;
  /** Absolute path of `<scope>/<key>/…`. */
  readonly caches: string;
}

/** The job that an action runs in. */
export interface ActionJob {
  readonly workspace: string;
  readonly store: ActionStore;
  readonly runId: number;
  /** Counted from 1; each re-run of the run adds one. */
  readonly attempt: number;
  /** URL of its repository at the forge. */
  readonly remoteUrl: string;
  /** Ref to check out by default: a branch, or a ref of a pull request. */
  readonly ref: string;
  /** Scopes whose caches it may read; it writes to the first. */
  readonly scopes: readonly string[];
  readonly repository: string;
}

type Inputs = Readonly<Record<string, string>>;
type Outputs = Readonly<Record<string, string>>;

/** Performs an action and returns its outputs. @throws for an unknown action */
export async function runAction(uses: string, inputs: Inputs, job: ActionJob): Promise<Outputs> {
  const action = ACTIONS[uses.split('@')[0] ?? ''];
  if (action === undefined) throw new Error(`Nothing stands in for ${uses}`);
  return (await action(inputs, job)) ?? {};
}

const ACTIONS: Readonly<Record<string, (inputs: Inputs, job: ActionJob) => Promise<Outputs | undefined>>> = {
  'actions/checkout': checkout,
  'actions/setup-node': async ({ cache, 'cache-dependency-path': path = 'package-lock.json' }, { workspace }) => {
    if (cache === undefined || existsSync(join(workspace, path))) return {};
    throw new Error('Dependencies lock file is not found');
  },
  'actions/cache/restore': async ({ path = '', key = '', 'restore-keys': more = '' }, { workspace, store, scopes }) => {
    for (const wanted of [key, ...more.split('\n').filter((one) => one !== '')]) {
      const kept = scopes.map((scope) => join(store.caches, scope)).filter((folder) => existsSync(folder));
      const found = kept.flatMap((folder) =>
        readdirSync(folder)
          .filter((name) => name.startsWith(wanted))
          .map((name) => join(folder, name)),
      );
      const [newest] = found.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
      if (newest === undefined) continue;
      cpSync(newest, join(workspace, path), { recursive: true });
      return { 'cache-matched-key': basename(newest) };
    }
    return {};
  },
  'actions/cache/save': async ({ path = '', key = '' }, { workspace, store, scopes }) => {
    const folder = join(store.caches, scopes[0]!, key);
    if (existsSync(join(workspace, path))) cpSync(join(workspace, path), folder, { recursive: true });
    return {};
  },
  'actions/upload-artifact': async (inputs, { workspace, store, runId, repository }) => {
    const { path = '', archive = 'true', 'if-no-files-found': missing = 'warn' } = inputs;
    const from = path.startsWith('/') ? path : join(workspace, path);
    if (!existsSync(from)) {
      if (missing === 'error') throw new Error('No files were found');
      return {};
    }
    const isOne = archive === 'false';
    if (isOne && !statSync(from).isFile()) throw new Error('Only single files are uploaded unzipped');
    const name = isOne ? basename(from) : (inputs.name ?? 'artifact');
    const folderOf = (artifact: string): string => join(store.artifacts, String(runId), artifact);
    // Like upload-artifact 7, which deletes by the input's name even where the file names the artifact (its issue
    // #769).
    if (inputs.overwrite === 'true') rmSync(folderOf(inputs.name ?? 'artifact'), { recursive: true, force: true });
    const folder = folderOf(name);
    if (existsSync(folder)) throw new Error('409: an artifact with this name already exists on the workflow run');
    mkdirSync(dirname(folder), { recursive: true });
    if (statSync(from).isFile()) mkdirSync(folder);
    cpSync(from, statSync(from).isFile() ? join(folder, basename(from)) : folder, { recursive: true });
    const ids = join(store.artifacts, 'ids', String(runId));
    mkdirSync(ids, { recursive: true });
    const id = 5000 + readdirSync(ids).length + 100 * runId;
    writeFileSync(join(ids, name), String(id));
    return { 'artifact-id': `${id}`, 'artifact-url': pageOf(repository, runId, id) };
  },
};

function pageOf(repository: string, runId: number, id: number): string {
  return `https://github.com/${repository}/actions/runs/${runId}/artifacts/${id}`;
}

async function checkout(inputs: Inputs, { workspace, remoteUrl, ref: own }: ActionJob): Promise<Outputs> {
  if (inputs['persist-credentials'] !== 'false') throw new Error('The token would stay in .git/config');
  const { ref = own, 'fetch-depth': depth = '1' } = inputs;
  const { git } = await initializeIn(workspace, remoteUrl);
  const isBranch = !ref.startsWith('refs/');
  const to = isBranch ? `refs/remotes/origin/${ref}` : ref.replace('refs/', 'refs/remotes/');
  const wanted = `+${isBranch ? `refs/heads/${ref}` : ref}:${to}`;
  const all = depth === '0' ? ['+refs/heads/*:refs/remotes/origin/*'] : [];
  const flags = depth === '0' ? [] : [`--depth=${depth}`, '--no-tags'];
  await git('fetch', '--quiet', '--no-write-fetch-head', ...flags, 'origin', ...new Set([...all, wanted]));
  await git(
    ...(isBranch ? ['checkout', '--quiet', '--force', '-B', ref, to] : ['checkout', '--quiet', '--detach', to]),
  );
  return {};
}

/** Writes the programs of a runner's path that our workflows use. @param root root of this package */
export async function writePrograms(folder: string, root: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await writeKeptProgram(join(folder, 'reelform'));
  const program = (name: string, lines: readonly string[]): void =>
    writeFileSync(join(folder, name), `#!/bin/bash\nset -eu\n${lines.join('\n')}\n`, { mode: 0o755 });
  program('npm', [
    'case "$1" in',
    '  ci) test -f package-lock.json || { echo "npm ci needs package-lock.json" >&2; exit 1; } ;;',
    '  run) test "$2" = build; exit ;;',
    '  *) exit 1 ;;',
    'esac',
    'mkdir -p node_modules/.bin',
    `ln -sfn '${root}' node_modules/reelform`,
    `ln -sfn '${folder}/reelform' node_modules/.bin/reelform`,
  ]);
  program('gh', [
    ': "${GITHUB_TOKEN:?gh needs a token}"',
    // The request requires `actions: read`.
    'test "$TEST_ACTIONS" = read || { echo "HTTP 403: Resource not accessible by integration" >&2; exit 1; }',
    'case "$1 $2" in',
    '  "run download")',
    '    run=$3; shift 3',
    '    while [ $# -gt 1 ]; do case "$1" in --name) name=$2 ;; --dir) dir=$2 ;; esac; shift 2; done',
    '    test -d "$TEST_ARTIFACTS/$run/$name" || { echo "no artifact matches any of the names" >&2; exit 1; }',
    '    mkdir -p "$dir"; cp -r "$TEST_ARTIFACTS/$run/$name/." "$dir" ;;',
    '  api\\ *)',
    '    run=${2##*/runs/}; run=${run%%/*}; name=${2##*name=}',
    '    if [ -d "$TEST_ARTIFACTS/$run/$name" ]; then cat "$TEST_ARTIFACTS/ids/$run/$name"; fi ;;',
    '  *) exit 1 ;;',
    'esac',
  ]);
}
