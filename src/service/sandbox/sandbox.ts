import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { env, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { KOFFI_VARIABLE } from './given-koffi.ts';
import {
  canRefuseProcesses,
  hideProcess,
  type Koffi,
  landlockGap,
  landlockVersion,
  type PathAccess,
} from './landlock.ts';

/** Values of the setting. `auto` takes the first available sandbox; `required` fails without a sandbox. */
export const SANDBOX_SETTINGS = ['auto', 'required', 'landlock', 'bubblewrap', 'none'] as const;
export type SandboxSetting = (typeof SANDBOX_SETTINGS)[number];

/** The environment variables of sandboxes. */
interface SandboxEnvironment {
  readonly REELFORM_SANDBOX?: string | undefined;
}

/** A Node program to start in a sandbox. */
interface SandboxedProgram {
  /** Options of Node, the program's file and its arguments. */
  readonly args: readonly string[];
  /** The only writable folder; absolute. */
  readonly folder: string;
  /** Further paths that it may read; absolute. */
  readonly readable?: readonly string[];
  /** Programs outside the package that it may run, absolute. Without any, it cannot start processes. */
  readonly programs: readonly string[];
}

/** Starts programs that process untrusted files with access to nothing else. */
export interface Sandbox {
  readonly kind: 'landlock' | 'bubblewrap' | 'none';
  /** Description for reports, such as `Landlock ABI 7 and seccomp`. */
  readonly description: string;
  /** Known gap, or the reason for a missing sandbox; null without a known gap. */
  readonly gap: string | null;
  command(program: SandboxedProgram): SandboxedCommand;
}

/** The command to start instead of a program. The program inherits its descriptors. */
interface SandboxedCommand {
  readonly file: string;
  readonly args: string[];
  /** Additional environment variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** Root of this package, which contains `dist/` or `src/`. */
const PACKAGE = realpathSync(join(dirname(fileURLToPath(import.meta.url)), ...upToPackage()));

/** System files: libraries, time zones and Node's start-up files. They contain no user data. */
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
  // Where glibc looks up whether it may ask for huge pages.
  '/sys/kernel/mm/transparent_hugepage',
] as const;
/** System programs, for encoders that are programs or scripts. */
const PROGRAM_FOLDERS = ['/bin', '/usr/bin', '/usr/local/bin'] as const;
/** Kernel file systems to allow with Landlock; bubblewrap mounts new ones. */
const KERNEL_PATHS: readonly (readonly [string, PathAccess])[] = [
  // Neither the environment nor mounts, descriptors and network connections of the process.
  ['/proc/self/cgroup', 'read'],
  ['/proc/self/maps', 'read'],
  ['/proc/self/stat', 'read'],
  ['/proc/self/statm', 'read'],
  ['/proc/self/status', 'read'],
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
 * Opens the sandbox of a setting on this system.
 *
 * @throws ReelformError sandbox_missing if it is not available; never for `auto` and `none`
 */
export function openSandbox(setting: SandboxSetting): Sandbox {
  if (setting === 'none') return noSandbox('disabled');
  const reasons: string[] = [];
  if (setting !== 'bubblewrap') {
    const version = landlockVersion(loadKoffi());
    if (typeof version === 'number') return landlock(version);
    reasons.push(`Landlock: ${version}`);
  }
  if (setting !== 'landlock') {
    const version = bubblewrapVersion();
    if (version !== null) return bubblewrap(version);
    reasons.push('bubblewrap: no bwrap on the PATH can create namespaces');
  }
  if (setting === 'auto') return noSandbox(reasons.join('; '));
  throw new ReelformError(
    'sandbox_missing',
    `The requested sandbox (${setting}) is not available: ${reasons.join('; ')}`,
    {
      hint: 'use Linux 5.13 or later with Landlock, or install bubblewrap; "auto" renders without a sandbox if none is available',
    },
  );
}

/**
 * Opens the sandbox of REELFORM_SANDBOX, `auto` by default, and hides this process's environment from programs that run
 * without a sandbox.
 *
 * @throws ReelformError settings_invalid, sandbox_missing
 */
export function sandboxFromEnvironment({ REELFORM_SANDBOX: written = '' }: SandboxEnvironment): Sandbox {
  const setting = written === '' ? 'auto' : SANDBOX_SETTINGS.find((value) => value === written);
  if (setting !== undefined) {
    hideOwnProcess();
    return openSandbox(setting);
  }
  throw new ReelformError('settings_invalid', `REELFORM_SANDBOX is ${JSON.stringify(written)}`, {
    hint: `write one of ${SANDBOX_SETTINGS.join(', ')}`,
  });
}

/**
 * Hides the environment and memory of this process from unsandboxed programs of the same user. Best effort: does
 * nothing where unsupported.
 */
export function hideOwnProcess(): void {
  hideProcess(loadKoffi());
}

function landlock(version: number): Sandbox {
  return {
    kind: 'landlock',
    description: `Landlock ABI ${version} and seccomp`,
    gap: landlockGap(version),
    command({ args, folder, programs, readable = [] }) {
      const reading = [...readablePaths(programs), ...readable].map((path): [string, PathAccess] => [path, 'read']);
      const policy = JSON.stringify({ paths: [...reading, ...KERNEL_PATHS, [folder, 'write']] });
      const launched = [built('landlock-launcher.cjs'), policy, ...preloaded(programs), ...args];
      return { file: execPath, args: launched, env: { ...environment(folder), ...koffiFile() } };
    },
  };
}

function bubblewrap(version: string): Sandbox {
  return {
    kind: 'bubblewrap',
    description: `bubblewrap ${version}`,
    gap: null,
    command({ args, folder, programs, readable = [] }) {
      const reading = [...readablePaths(programs), ...readable].flatMap((path) => ['--ro-bind', path, path]);
      const system = ['--proc', '/proc', '--dev', '/dev'];
      const own = ['--bind', folder, folder, '--chdir', folder];
      // Not in a new session, so that limits of the process group hold for it too.
      const isolation = ['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL'];
      // The folders may be below /dev.
      const command = [...isolation, ...system, ...reading, ...own, '--', execPath, ...preloaded(programs), ...args];
      return { file: 'bwrap', args: command, env: { ...environment(folder), ...koffiFile(), PATH: env.PATH ?? '' } };
    },
  };
}

function noSandbox(reason: string): Sandbox {
  return {
    kind: 'none',
    description: 'none',
    gap: reason,
    // Its child processes could leave its process group, and with it the limits.
    command: ({ args, programs }) => ({ file: execPath, args: [...preloaded(programs), ...args], env: koffiFile() }),
  };
}

/** Options of Node with which a program without further programs remains the only process. */
function preloaded(programs: readonly string[]): string[] {
  const isAlone = programs.length === 0 && canRefuseProcesses(loadKoffi());
  return isAlone ? ['--require', built('refuse-processes.cjs')] : [];
}

function built(name: string): string {
  return join(PACKAGE, 'dist/service/sandbox', name);
}

/** Names the files that libraries read at their start, where the sandbox hides the usual ones. */
function environment(folder: string): Readonly<Record<string, string>> {
  return { HOME: folder, OPENSSL_CONF: '/dev/null' };
}

/** Returns the existing paths of Node, this package, its dependencies and system libraries. */
function readablePaths(programs: readonly string[]): string[] {
  const node = realpathSync(execPath);
  const paths = [
    ...SYSTEM_PATHS,
    node,
    // Builds of Node that keep most of it in a library beside it.
    join(dirname(node), '..', 'lib'),
    join(PACKAGE, 'dist'),
    join(PACKAGE, 'package.json'),
    ...moduleFolders(PACKAGE),
    ...programs,
    ...(programs.length > 0 ? PROGRAM_FOLDERS : []),
  ];
  return paths.filter((path) => existsSync(path));
}

/** Returns the `node_modules` of each parent folder, where Node finds packages. */
function moduleFolders(folder: string): string[] {
  const parent = dirname(folder);
  const modules = folder.endsWith('node_modules') ? folder : join(folder, 'node_modules');
  return parent === folder ? [] : [modules, ...moduleFolders(parent)];
}

/** Returns null if bubblewrap is missing or cannot create namespaces here, as in some containers. */
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

function upToPackage(): string[] {
  const [, below] = /^.*\/(?:dist|src)\/(.*)$/.exec(import.meta.url) ?? [];
  if (below === undefined) throw new Error(`Internal error: ${import.meta.url} is neither in dist/ nor in src/`);
  return below.split('/').map(() => '..');
}

const requireHere = createRequire(import.meta.url);

export function loadKoffi(): Koffi | null {
  try {
    return requireHere('#engine/koffi') as Koffi;
  } catch {
    return null;
  }
}

/** Names the file that koffi was loaded from. @see givenKoffi */
function koffiFile(): Readonly<Record<string, string>> {
  const file = Object.keys(requireHere.cache).find((path) => basename(path) === 'koffi.node');
  return file === undefined ? {} : { [KOFFI_VARIABLE]: file };
}
