import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { readProcessStat } from '../../src/kernel/os-process.ts';

/** Time of a command in milliseconds. */
export interface Times {
  readonly wall: number;
  /** User and system time of all its processes. */
  readonly processor: number;
}

/**
 * CI is unset because commands print less there, and NODE_EXTRA_CA_CERTS, which delays each start of Node 20 by 30 to 60 ms, except
 * with `--certificates`.
 */
function environment(): Record<string, string | undefined> {
  const { NODE_EXTRA_CA_CERTS: certificates, CI: _, ...kept } = process.env;
  const isKept = process.argv.includes('--certificates');
  return { ...kept, ...(isKept && { NODE_EXTRA_CA_CERTS: certificates }), NO_COLOR: '1' };
}

/**
 * Runs Node to its end.
 *
 * @throws Error if it fails, or prints something else than `expected`
 */
export async function timedCommand(args: readonly string[], cwd: string, expected = ''): Promise<Times> {
  // Bash reports the processor time of all descendants that were waited for, in milliseconds.
  const script = ['-c', 'TIMEFORMAT="%U %S"; time "$@"', 'bash', process.execPath, ...args];
  const options = { cwd, env: environment(), extendEnv: false, stdin: 'ignore', reject: false } as const;
  const start = performance.now();
  const { exitCode, stdout, stderr } = await execa('bash', script, options);
  const wall = performance.now() - start;
  if (exitCode !== 0 || !stdout.includes(expected)) {
    throw new Error(`node ${args.join(' ')} ended with ${exitCode}:\n${stdout}\n${stderr}`);
  }
  const [user = Number.NaN, system = Number.NaN] = stderr.trim().split('\n').at(-1)!.split(' ').map(Number);
  return { wall, processor: (user + system) * 1000 };
}

/** Times of the preview page of a repository, from the start of the command. */
export interface PreviewTimes {
  /** Until the server has sent the page. */
  readonly page: Times;
  /** Until the server has sent the state of all videos, too. */
  readonly state: Times;
}

/**
 * Starts `preview`, opens its page as a browser does, and ends it.
 *
 * @throws Error if the page or its state is not sent
 */
export async function timedPreview(program: string, cwd: string): Promise<PreviewTimes> {
  const start = performance.now();
  const child = spawn(process.execPath, [program, 'preview', '--port', '0'], {
    cwd,
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const since = (): Times => ({ wall: performance.now() - start, processor: treeProcessorMs(child.pid!) });
  try {
    const url = await previewUrl(child.stdout);
    const entered = await fetch(url, { redirect: 'manual' });
    const headers = { cookie: entered.headers.get('set-cookie')!.split(';')[0]! };
    const text = await (await fetch(new URL('/', url), { headers })).text();
    if (!text.includes('<script')) throw new Error(`The page is ${text}`);
    const page = since();
    const { videos } = (await (await fetch(new URL('/api/state', url), { headers })).json()) as { videos: unknown[] };
    if (videos.length === 0) throw new Error('The page has no videos');
    return { page, state: since() };
  } finally {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  }
}

async function previewUrl(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [url] = /http:\S+/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('preview printed no URL');
}

/** Returns the processor time of a running process and its descendants; NaN on systems without `/proc`. */
function treeProcessorMs(pid: number): number {
  const stat = readProcessStat(pid);
  if (stat === null) return Number.NaN;
  const tasks = readdirSync(`/proc/${pid}/task`);
  const children = tasks.flatMap((task) => {
    const text = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  });
  return children.reduce((sum, child) => sum + (treeProcessorMs(child) || 0), stat.cpuMs);
}
