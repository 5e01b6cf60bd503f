import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { env, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { ReelformError } from '../diagnostic.ts';
import { hideProcess, type Koffi, landlockGap, landlockVersion, type PathAccess } from './landlock.ts';

/** What a setting can ask for. `auto` takes the first that this system has; `required` refuses to do without. */
export const SANDBOX_SETTINGS = ['auto', 'required', 'landlock', 'bubblewrap', 'none'] as const;
export type SandboxSetting = (typeof SANDBOX_SETTINGS)[number];

/** What the environment says of sandboxes. */
export interface SandboxEnvironment {
  readonly REELFORM_SANDBOX?: string | undefined;
}

/** A Node program to start in a sandbox. */
export interface SandboxedProgram {
  /** Options of Node, the program's file and its arguments. */
  readonly args: readonly string[];
  /** The one folder that it may write to, absolute. */
  readonly folder: string;
  /** Programs outside the package that it may run, absolute. */
  readonly programs: readonly string[];
}

/** Starts programs that work on untrusted files, where they can reach nothing but those. */
export interface Sandbox {
  readonly kind: 'landlock' | 'bubblewrap' | 'none';
  /** What a report says of it, such as `Landlock ABI 7 and seccomp`. */
  readonly description: string;
  /** What it leaves open, or why there is none; null when nothing is known to be. */
  readonly gap: string | null;
  command(program: SandboxedProgram): SandboxedCommand;
}

/** What to start in place of a program. The descriptors that are passed to it reach the program. */
export interface SandboxedCommand {
  readonly file: string;
  readonly args: string[];
  /** To be added to the program's environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** This package: `dist/`, or `src/` beside it, lies in it. */
const PACKAGE = realpathSync(join(dirname(fileURLToPath(import.meta.url)), ...upToPackage()));

/** Of the system: libraries, the clock's zone, and what Node reads at its start. Nothing of them is a user's. */
const SYSTEM_PATHS = [
  '/lib',
  '/lib64',
  '/usr/lib',
  '/usr/lib64',
  '/usr/local/lib',
  '/nix/store',
  '/etc/ld.so.cache',
  '/etc/localtime',
  '/usr/share/zoneinfo',
] as const;
/** Programs of the system, for an encoder that is one or is started by a script. */
const PROGRAM_FOLDERS = ['/bin', '/usr/bin', '/usr/local/bin'] as const;
/** What Landlock has to allow of the kernel's own file systems; bubblewrap makes new ones. */
const KERNEL_PATHS: readonly (readonly [string, PathAccess])[] = [
  ['/proc/self', 'read'],
  ['/proc/cpuinfo', 'read'],
  ['/proc/meminfo', 'read'],
  ['/proc/stat', 'read'],
  ['/proc/sys/vm', 'read'],
  ['/sys/devices/system/cpu', 'read'],
  ['/sys/fs/cgroup', 'read'],
  ['/dev/null', 'write'],
  ['/dev/zero', 'read'],
  ['/dev/urandom', 'read'],
  ['/dev/random', 'read'],
];

/**
 * The sandbox that a setting asks for, on this system. EDGE.
 *
 * @throws ReelformError sandbox_missing for one that this system lacks; `auto` and `none` never throw
 */
export function openSandbox(setting: SandboxSetting): Sandbox {
  if (setting === 'none') return noSandbox('it is switched off');
  const reasons: string[] = [];
  if (setting !== 'bubblewrap') {
    const version = landlockVersion(loadKoffi());
    if (typeof version === 'number') return landlock(version);
    reasons.push(`Landlock: ${version}`);
  }
  if (setting !== 'landlock') {
    const version = bubblewrapVersion();
    if (version !== null) return bubblewrap(version);
    reasons.push('bubblewrap: there is no bwrap on the PATH that may make namespaces');
  }
  if (setting === 'auto') return noSandbox(reasons.join('; '));
  throw new ReelformError('sandbox_missing', `There is no sandbox as asked for (${setting}): ${reasons.join('; ')}`, {
    hint: 'use Linux 5.13 or later with Landlock, or install bubblewrap; "auto" renders without where there is none',
  });
}

/**
 * The sandbox that an environment asks for in REELFORM_SANDBOX; `auto` when it says nothing. Where there is none, the keys
 * and tokens in this environment are hidden from what runs without it. EDGE.
 *
 * @throws ReelformError settings_invalid, sandbox_missing
 */
export function sandboxFromEnvironment({ REELFORM_SANDBOX: written = '' }: SandboxEnvironment): Sandbox {
  const setting = written === '' ? 'auto' : SANDBOX_SETTINGS.find((one) => one === written);
  if (setting !== undefined) {
    hideOwnProcess();
    return openSandbox(setting);
  }
  throw new ReelformError('settings_invalid', `REELFORM_SANDBOX is ${JSON.stringify(written)}`, {
    hint: `write one of ${SANDBOX_SETTINGS.join(', ')}`,
  });
}

/**
 * Keeps the environment and the memory of this process from programs of the same user that are in no sandbox. EDGE. Best
 * effort: does nothing where the system cannot.
 */
export function hideOwnProcess(): void {
  hideProcess(loadKoffi());
}

function landlock(version: number): Sandbox {
  return {
    kind: 'landlock',
    description: `Landlock ABI ${version} and seccomp`,
    gap: landlockGap(version),
    command({ args, folder, programs }) {
      const reading = readablePaths(programs).map((path): [string, PathAccess] => [path, 'read']);
      const policy = JSON.stringify({ paths: [...reading, ...KERNEL_PATHS, [folder, 'write']] });
      const launcher = join(PACKAGE, 'dist/sandbox/landlock-launcher.cjs');
      return { file: execPath, args: [launcher, policy, ...args], env: environment(folder) };
    },
  };
}

function bubblewrap(version: string): Sandbox {
  return {
    kind: 'bubblewrap',
    description: `bubblewrap ${version}`,
    gap: null,
    command({ args, folder, programs }) {
      const reading = readablePaths(programs).flatMap((path) => ['--ro-bind', path, path]);
      const system = ['--proc', '/proc', '--dev', '/dev', '--bind', folder, folder, '--chdir', folder];
      const isolation = ['--unshare-all', '--die-with-parent', '--new-session'];
      const command = [...isolation, ...reading, ...system, '--', execPath, ...args];
      return { file: 'bwrap', args: command, env: { ...environment(folder), PATH: env.PATH ?? '' } };
    },
  };
}

function noSandbox(reason: string): Sandbox {
  return {
    kind: 'none',
    description: 'none',
    gap: reason,
    command: ({ args }) => ({ file: execPath, args: [...args], env: {} }),
  };
}

/** Names the files that libraries read at their start, where the sandbox hides the usual ones. */
function environment(folder: string): Readonly<Record<string, string>> {
  return { HOME: folder, OPENSSL_CONF: '/dev/null' };
}

/** Node, this package and what it is installed with, libraries of the system; existing paths only. */
function readablePaths(programs: readonly string[]): string[] {
  const node = realpathSync(execPath);
  const own = ['dist', 'package.json'].map((name) => join(PACKAGE, name));
  const paths = [
    ...SYSTEM_PATHS,
    node,
    // Builds of Node that keep most of it in a library beside it.
    join(dirname(node), '..', 'lib'),
    ...own,
    ...moduleFolders(PACKAGE),
    ...programs,
    ...(programs.length > 0 ? PROGRAM_FOLDERS : []),
  ];
  return paths.filter((path) => existsSync(path));
}

/** Where Node looks for what a package needs: the `node_modules` of each folder above it. */
function moduleFolders(folder: string): string[] {
  const parent = dirname(folder);
  const modules = folder.endsWith('node_modules') ? folder : join(folder, 'node_modules');
  return parent === folder ? [] : [modules, ...moduleFolders(parent)];
}

/** Null where it is not installed, or may not do its work here, as in a container without user namespaces. */
function bubblewrapVersion(): string | null {
  try {
    const run = (args: readonly string[]): string =>
      execFileSync('bwrap', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: 10_000 });
    run(['--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', 'true']);
    return /[\d.]+/.exec(run(['--version']))?.[0] ?? null;
  } catch {
    return null;
  }
}

function loadKoffi(): Koffi | null {
  try {
    return createRequire(import.meta.url)('koffi') as Koffi;
  } catch {
    return null;
  }
}

function upToPackage(): string[] {
  const [, below] = /^.*\/(?:dist|src)\/(.*)$/.exec(import.meta.url) ?? [];
  if (below === undefined) throw new Error(`Internal error: ${import.meta.url} lies neither in dist/ nor in src/`);
  return below.split('/').map(() => '..');
}
