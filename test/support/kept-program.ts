import { readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Io, OutputStream } from '../../src/cli/io.ts';
import { run } from '../../src/cli/run.ts';
import { keptRenderPool } from './kept-render-pools.ts';
import { PROGRAM } from './spawned-program.ts';
import { hastenedClock } from './test-io.ts';

/**
 * Passes the number of its process on, which has the arguments, the folder and the environment, and then prints what it
 * receives: names of streams and texts for them, in turns, each ended by a zero byte. The last one is the exit code.
 */
const clientOf = (port: number): string => `#!/bin/bash
exec 3<>/dev/tcp/127.0.0.1/${port}
trap 'echo interrupt >&3' INT TERM
echo $$ >&3
while IFS= read -r -d '' -u 3 stream && IFS= read -r -d '' -u 3 text; do
  if [ "$stream" = exit ]; then exit "$text"; fi
  printf '%s' "$text" >&"$stream"
done
exit 125
`;

let port: Promise<number> | undefined;

/**
 * Writes a program that runs `reelform` in this test process, for scripts that start it often: a start takes a second
 * of processor time with its modules and render processes. Its stdout and stderr are no terminals, and it reads no
 * standard input. test/cli/spawned.test.ts and test/e2e start the built program. Without /proc it is that one, too.
 */
export async function writeKeptProgram(file: string): Promise<void> {
  if (process.platform !== 'linux') {
    symlinkSync(PROGRAM, file);
    return;
  }
  port ??= listen();
  writeFileSync(file, clientOf(await port), { mode: 0o755 });
}

async function listen(): Promise<number> {
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return (server.address() as AddressInfo).port;
}

/** Runs the command of one client. */
function serve(client: Socket): void {
  const interrupts = new Set<() => void>();
  let received = '';
  let isStarted = false;
  client.on('error', () => undefined);
  client.setEncoding('utf8').on('data', (text: string) => {
    const lines = (received + text).split('\n');
    received = lines.pop()!;
    for (const line of lines) {
      if (isStarted) for (const interrupt of interrupts) interrupt();
      else {
        isStarted = true;
        const io = ioOf(line, client, interrupts);
        void run(io.args, io).then(io.leave);
      }
    }
  });
}

function ioOf(pid: string, client: Socket, interrupts: Set<() => void>): Io & { readonly args: string[] } {
  const ofProcess = (name: string): string[] => readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0').slice(0, -1);
  const send = (stream: string, text: string): void => {
    if (client.writable) client.write(`${stream}\0${text}\0`);
  };
  const output = (stream: string): OutputStream => ({
    write: (text) => send(stream, text),
    isTTY: false,
    columns: 80,
    rows: 24,
  });
  return {
    args: ofProcess('cmdline').slice(2),
    stdout: output('1'),
    stderr: output('2'),
    cwd: readlinkSync(`/proc/${pid}/cwd`),
    env: Object.fromEntries(ofProcess('environ').map((entry) => /^(.*?)=(.*)$/s.exec(entry)!.slice(1))),
    nodeVersion: process.versions.node,
    now: () => Date.now(),
    ...hastenedClock(),
    onInterrupt(listener) {
      interrupts.add(listener);
      return () => interrupts.delete(listener);
    },
    onFault: () => () => undefined,
    onWriteError: () => undefined,
    onResize: () => () => undefined,
    after(milliseconds, callback) {
      const timer = setTimeout(callback, milliseconds);
      return () => clearTimeout(timer);
    },
    ask: async () => '',
    interactive: false,
    readInput: async () => '',
    createRenderPool: keptRenderPool,
    leave(exitCode) {
      send('exit', String(exitCode));
      client.end();
    },
  };
}
