#!/usr/bin/env node
import module from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Io, OutputStream } from './io.ts';

// Node 22 and later keep compiled code, here beside the package: a folder that other users cannot write to, unlike Node's default. Does
// nothing where it cannot be written.
const { enableCompileCache } = module as { enableCompileCache?(folder: string): unknown };
enableCompileCache?.(join(import.meta.dirname, '../../node_modules/.cache'));
const [{ askQuestion, isCi }, { run }] = await Promise.all([import('./io.ts'), import('./run.ts')]);
// A command ends before the code that Node 20 optimises pays for the optimisation: a plan of scenes spends a quarter of its processor time
// on it. Node 22 and later first optimise with a compiler that is ten times faster. With any option set Node compiles its own modules,
// which it brings along compiled, so this follows the imports that load most of them.
if (process.versions.v8.startsWith('11.')) {
  setFlagsFromString('--interrupt-budget=1000000');
  // Without most of the inlining, which takes longer than it saves.
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=200');
  // The young generation stays small at first: getting more pages takes longer than the collections that they save. Long plans need them.
  setFlagsFromString('--semi-space-growth-factor=1');
  setTimeout(() => setFlagsFromString('--semi-space-growth-factor=2'), 250).unref();
  // As for render processes, see `V8_OPTIONS`.
  setFlagsFromString('--no-parallel-scavenge');
  setFlagsFromString('--wasm-tiering-budget=1000000000');
}

let onWriteError: ((code: string) => void) | null = null;

function output(stream: NodeJS.WriteStream): OutputStream {
  // A closed pipe (`reelform show | head`) is no error and must not stop an apply.
  let isOpen = true;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (onWriteError !== null) {
      if (stream === process.stdout) onWriteError(error.code ?? error.message);
      return;
    }
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

const io: Io = {
  stdout: output(process.stdout),
  stderr: output(process.stderr),
  cwd: process.cwd(),
  env: process.env,
  nodeVersion: process.versions.node,
  now: () => Date.now(),
  monotonicNow: () => performance.now(),
  onInterrupt(listener) {
    process.on('SIGINT', listener).on('SIGTERM', listener);
    return () => process.off('SIGINT', listener).off('SIGTERM', listener);
  },
  onFault(listener) {
    // Includes rejections that no code handles.
    process.on('uncaughtException', listener);
    return () => process.off('uncaughtException', listener);
  },
  onWriteError(listener) {
    onWriteError = listener;
  },
  onResize(listener) {
    process.stderr.on('resize', listener);
    return () => process.stderr.off('resize', listener);
  },
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
  async wait(milliseconds, signal) {
    try {
      await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
  // A getter, because opening stdin takes a millisecond.
  get interactive() {
    return process.stdin.isTTY === true && process.stderr.isTTY === true && !isCi(process.env);
  },
  ask: (question) => askQuestion(question, { input: process.stdin, output: process.stderr }),
  async readInput() {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString('utf8');
  },
  leave: (exitCode) => process.exit(exitCode),
};

run(process.argv.slice(2), io).then((exitCode) => {
  process.exitCode = exitCode;
  // Otherwise Node frees its heap first, for 30 ms. An error of the last write is reported before, and output that waits for a slow
  // reader is still written.
  setImmediate(() => {
    if (process.stdout.writableLength === 0 && process.stderr.writableLength === 0) process.exit();
  });
});
