import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

/** The browser that Remotion and HyperFrames use by default, as Debian packages it: `apt install chromium-headless-shell`. */
export const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';

/** A program that renders a composition in a folder of its own. */
export interface Program {
  readonly name: string;
  /** Installs and writes what the program needs, which is not measured. Returns why it cannot run here, or null. */
  prepare(folder: string): Promise<string | null>;
  /** @param isLossless with pictures that lose nothing, as the reference for SSIM */
  command(isLossless: boolean): readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Path of the video in the folder. */
  readonly output: string;
}

/** Returns why the packages cannot be installed, or null. */
export async function installPackages(folder: string, packages: readonly string[]): Promise<string | null> {
  if (!existsSync(HEADLESS_SHELL)) return `there is no ${HEADLESS_SHELL}: apt install chromium-headless-shell`;
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const flags = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const installed = await execa('npm', [...flags, ...packages], { cwd: folder, reject: false });
  return installed.failed ? `its packages cannot be installed: ${installed.stderr.slice(0, 200)}` : null;
}

/** Counts processes that outlive their parents, as those of a browser do, because all descendants become its children. */
const MEASURED = `import ctypes, os, resource, subprocess, sys, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
start = time.monotonic()
status = subprocess.Popen(sys.argv[1:]).wait()
wall = time.monotonic() - start
while True:
    try: os.wait()
    except ChildProcessError: break
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f'\\n{wall} {used.ru_utime + used.ru_stime}')
sys.exit(status)
`;

export interface Measured {
  /** Seconds from the start of the command to its end. */
  readonly wall: number;
  /** Seconds of user and system time of all its processes. */
  readonly processor: number;
}

/** @throws the end of the program's messages if it fails */
export async function measureCommand(
  command: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Measured> {
  const run = await execa('python3', ['-c', MEASURED, ...command], { cwd, env: environment, reject: false });
  if (run.failed)
    throw new Error(`${command.join(' ').slice(0, 200)}: ${run.stderr.slice(-600)}${run.stdout.slice(-600)}`);
  const [wall, processor] = run.stdout.trim().split('\n').at(-1)!.split(' ').map(Number);
  return { wall: wall!, processor: processor! };
}
