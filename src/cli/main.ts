#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { type Io, isCi, type Output } from './io.ts';
import { start } from './start.ts';

function output(stream: NodeJS.WriteStream): Output {
  // A reader that goes away early (`reelform show | head`) is no error, and no reason to stop an apply.
  let isOpen = true;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    isOpen = false;
  });
  return {
    write: (text) => void (isOpen && stream.write(text)),
    isTTY: stream.isTTY === true,
    get columns() {
      return stream.columns ?? 80;
    },
    get rows() {
      return stream.rows ?? 24;
    },
  };
}

/** Whether a process has ended and nobody has asked how: in a container the first process may never do. Linux alone tells. */
function isRemains(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the command in brackets, and may hold anything.
    return /^[ZX]/.test(status.slice(status.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

const io: Io = {
  stdout: output(process.stdout),
  stderr: output(process.stderr),
  cwd: process.cwd(),
  env: process.env,
  nodeVersion: process.versions.node,
  pid: process.pid,
  isAlive(pid) {
    try {
      process.kill(pid, 0);
      return !isRemains(pid);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  },
  now: () => Date.now(),
  onInterrupt(listener) {
    process.on('SIGINT', listener).on('SIGTERM', listener);
    return () => process.off('SIGINT', listener).off('SIGTERM', listener);
  },
  onResize(listener) {
    process.stderr.on('resize', listener);
    return () => process.stderr.off('resize', listener);
  },
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
  interactive: process.stdin.isTTY === true && process.stderr.isTTY === true && !isCi(process.env),
  async ask(question) {
    const { askQuestion } = await import('./ask-question.ts');
    return askQuestion(question, { input: process.stdin, output: process.stderr });
  },
  async readInput() {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString('utf8');
  },
  leave: (exitCode) => process.exit(exitCode),
};

start(process.argv.slice(2), io).then((exitCode) => {
  process.exitCode = exitCode;
});
