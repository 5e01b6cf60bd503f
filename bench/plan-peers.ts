import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { pathOf } from './plan-tree.ts';

/** A tool that decides over the same files whether there is anything to do. */
export interface Peer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments that bring it up to date after an edit. */
  readonly update?: readonly string[];
}

/** The lower bound: bare Node that lists the folders and calls stat on each file once. */
const FLOOR = `
import { readdirSync, statSync } from 'node:fs';
function walk(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = folder + '/' + entry.name;
    if (entry.isDirectory()) walk(path);
    else statSync(path);
  }
}
for (const folder of ['videos', 'images', 'schemas']) walk(folder);
statSync('reelform.yaml');
statSync('reelform.lock.json');
`;

/** Returns the peers installed on this machine and names the others on stderr. */
export async function makePeers(root: string, count: number, withTurbo: boolean): Promise<Peer[]> {
  const tools = mkdtempSync(join(tmpdir(), 'reelform-bench-tools-'));
  writeFileSync(join(tools, 'empty.mjs'), '');
  writeFileSync(join(tools, 'floor.mjs'), FLOOR);
  const peers: Peer[] = [
    { name: 'empty node', command: process.execPath, args: [join(tools, 'empty.mjs')], cwd: root },
    { name: 'node floor', command: process.execPath, args: [join(tools, 'floor.mjs')], cwd: root },
  ];
  const makers = { git: gitStatus, make: makeQuestion, ninja: ninjaRun, ...(withTurbo && { turbo: turboHit }) };
  for (const [name, make] of Object.entries(makers)) {
    try {
      peers.push(await make(root, count, tools));
    } catch (error) {
      console.error(`SKIPPED ${name}: ${(error as Error).message.split('\n')[0]}`);
    }
  }
  return peers;
}

async function gitStatus(root: string): Promise<Peer> {
  const git = (...args: string[]): Promise<unknown> => execa('git', args, { cwd: root });
  writeFileSync(join(root, '.gitignore'), '.reelform/\n.built/\nMakefile\nbuild.ninja\n');
  await git('init', '--quiet');
  await git('add', '.');
  await git('-c', 'user.name=bench', '-c', 'user.email=bench@example.com', 'commit', '--quiet', '-m', 'tree');
  return { name: 'git status', command: 'git', args: ['status', '--porcelain'], cwd: root };
}

async function makeQuestion(root: string, count: number): Promise<Peer> {
  const outputs = outputsOf(root, count);
  const rules = outputs.map((output, index) => `${output}: ${pathOf(index)}\n\t@touch $@\n`);
  writeFileSync(join(root, 'Makefile'), `all: ${outputs.join(' ')}\n${rules.join('')}`);
  await execa('make', ['-rq'], { cwd: root });
  return { name: 'make -rq', command: 'make', args: ['-rq'], cwd: root, update: ['-r', '--quiet'] };
}

async function ninjaRun(root: string, count: number): Promise<Peer> {
  const edges = outputsOf(root, count).map((_, index) => `build .built/n${index}: touch ${pathOf(index)}\n`);
  writeFileSync(join(root, 'build.ninja'), `builddir = .built\nrule touch\n  command = touch $out\n${edges.join('')}`);
  await execa('ninja', ['--quiet'], { cwd: root });
  return { name: 'ninja', command: 'ninja', args: [], cwd: root, update: ['--quiet'] };
}

/** Creates empty files in place of the outputs of each definition. */
function outputsOf(root: string, count: number): string[] {
  mkdirSync(join(root, '.built'), { recursive: true });
  const outputs = Array.from({ length: count }, (_, index) => `.built/${index}`);
  for (const output of outputs) writeFileSync(join(root, output), '');
  return outputs;
}

/** Puts each definition into a package with the script `true`, all of them in turbo's cache. */
async function turboHit(root: string, count: number, tools: string): Promise<Peer> {
  await execa('npm', ['install', '--no-audit', '--no-fund', '--prefix', tools, 'turbo@2'], { cwd: tools });
  const tree = mkdtempSync(join(tmpdir(), `reelform-bench-turbo-${count}-`));
  const packages: Record<string, object> = { '': { name: 'bench', workspaces: ['packages/*'] } };
  for (let index = 0; index < count; index++) {
    const [folder, name] = [`packages/p${index}`, `p${index}`];
    mkdirSync(join(tree, folder), { recursive: true });
    writeFileSync(
      join(tree, folder, 'package.json'),
      JSON.stringify({ name, version: '1.0.0', scripts: { build: 'true' } }),
    );
    writeFileSync(join(tree, folder, 'video.yaml'), readFileSync(join(root, pathOf(index))));
    packages[folder] = { name, version: '1.0.0' };
    packages[`node_modules/${name}`] = { resolved: folder, link: true };
  }
  const own = { name: 'bench', private: true, workspaces: ['packages/*'], packageManager: 'npm@10.0.0' };
  writeFileSync(join(tree, 'package.json'), JSON.stringify(own));
  writeFileSync(join(tree, 'package-lock.json'), JSON.stringify({ name: 'bench', lockfileVersion: 3, packages }));
  writeFileSync(join(tree, 'turbo.json'), JSON.stringify({ tasks: { build: { outputs: [] } } }));
  writeFileSync(join(tree, '.gitignore'), 'node_modules/\n.turbo/\n');
  await execa('git', ['init', '--quiet'], { cwd: tree });
  await execa('git', ['add', '.'], { cwd: tree });
  // Replaces the npm that turbo starts for each script, which would take seconds.
  mkdirSync(join(tools, 'stub'), { recursive: true });
  writeFileSync(join(tools, 'stub/npm'), '#!/bin/sh\nexit 0\n');
  chmodSync(join(tools, 'stub/npm'), 0o755);
  const env = {
    PATH: `${join(tools, 'stub')}${delimiter}${process.env.PATH}`,
    TURBO_TELEMETRY_DISABLED: '1',
    TURBO_NO_UPDATE_NOTIFIER: '1',
  };
  const command = join(tools, 'node_modules/.bin/turbo');
  const args = ['run', 'build', '--output-logs=none', '--no-daemon', '--ui=stream'];
  await execa(command, args, { cwd: tree, env });
  const { stdout } = await execa(command, args, { cwd: tree, env });
  if (!stdout.includes(`${count} cached`)) throw new Error('turbo has not everything in its cache');
  return { name: 'turbo, all cached', command, args, cwd: tree, env };
}
