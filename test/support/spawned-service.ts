import { join } from 'node:path';
import { execa } from 'execa';

const CLI = join(import.meta.dirname, '../../dist/cli/main.js');

/** A `reelform serve` of the built program, in a process of its own. */
export interface SpawnedService {
  readonly url: string;
  readonly pid: number;
  /** Its log so far, line by line, and those of its predecessors that were handed on. */
  readonly log: string[];
  /** What it said on stderr. */
  said(): string;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | undefined>;
}

export interface SpawnOptions {
  readonly port: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Where the log goes. */
  readonly log?: string[];
}

/** Starts it in a folder and waits until it is ready. */
export async function spawnService(
  cwd: string,
  { port, env = {}, args = [], log = [] }: SpawnOptions,
): Promise<SpawnedService> {
  const child = execa(process.execPath, [CLI, 'serve', '--port', String(port), ...args], {
    cwd,
    reject: false,
    buffer: false,
    env: { CI: 'true', NO_COLOR: '1', ...env },
  });
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    log.push(...lines);
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  let exited = false;
  void child.then(() => {
    exited = true;
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) {
    if (exited) throw new Error(`reelform serve ended early:\n${said}\n${log.slice(-20).join('\n')}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url,
    pid: child.pid!,
    log,
    said: () => said,
    async kill() {
      child.kill('SIGKILL');
      await child;
    },
    async stop() {
      child.kill('SIGTERM');
      return (await child).exitCode;
    },
  };
}

/** `reelform token create` in a folder. */
export async function createToken(cwd: string, args: readonly string[] = []): Promise<string> {
  const { stdout } = await execa(process.execPath, [CLI, 'token', 'create', ...args], {
    cwd,
    env: { CI: 'true', NO_COLOR: '1' },
  });
  return stdout.trim();
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).status === 200;
  } catch {
    return false;
  }
}
