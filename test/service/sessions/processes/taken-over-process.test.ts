import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { serialize } from 'node:v8';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSandbox, type Sandbox } from '../../../../src/service/sandbox/sandbox.ts';
import { encodeMessage } from '../../../../src/service/sessions/processes/message-channel.ts';
import type { RenderPool } from '../../../../src/service/sessions/processes/render-pool.ts';
import { openPool } from '../../../support/render-pools.ts';
import { solidPng } from '../../../support/small-package.ts';

/** Name of the font that takes over the process that opens it. */
const MARK = 'taken over';
const PICTURE = solidPng('#123456');
let folder: string;
const unhandled: unknown[] = [];
const onUnhandled = (error: unknown): void => void unhandled.push(error);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reelform-taken-over-'));
  process.on('uncaughtException', onUnhandled).on('unhandledRejection', onUnhandled);
});
afterAll(() => {
  process.off('uncaughtException', onUnhandled).off('unhandledRejection', onUnhandled);
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a pool whose processes run code, instead of their task, when they are asked for a marked one. */
function poolTakenOverBy(code: string): RenderPool {
  const file = join(folder, `preload-${Math.random()}.cjs`);
  writeFileSync(
    file,
    `const { isMainThread } = require('node:worker_threads');
     const { writeSync } = require('node:fs');
     if (isMainThread && process.argv[1]?.endsWith('render-process.cjs')) {
       const { emit } = process.stdin;
       process.stdin.emit = function (event, ...args) {
         if (event !== 'data' || !args[0].includes(${JSON.stringify(MARK)})) return emit.call(this, event, ...args);
         ${code}
       };
     }`,
  );
  const sandbox = openSandbox('auto');
  const command: Sandbox['command'] = (program) => sandbox.command({ ...program, programs: [file] });
  return openPool({
    size: 2,
    environment: { NODE_OPTIONS: `--require=${file}` },
    sandbox: { ...sandbox, command },
    stallMs: 20_000,
  });
}

/** Code that sends bytes as the answer. */
const sending = (bytes: Uint8Array): string =>
  `writeSync(3, Buffer.from(${JSON.stringify(Buffer.from(bytes).toString('base64'))}, 'base64'));`;
const answer = (message: unknown, task = 0): string => sending(Buffer.concat(encodeMessage(task, message)));
const failure = (change: object): string =>
  answer({ kind: 'failed', failure: { kind: 'unexpected', message: 'x', ...change } });

describe('a pool with a process that is taken over', () => {
  it.each([
    ['null', answer(null)],
    ['a message of another task', answer({ kind: 'progress', done: 1, count: 2 }, 12)],
    ['an unknown kind', answer({ kind: 'NODE_HANDLE', type: 'net.Socket' })],
    [
      'an output of another shape',
      answer({ kind: 'done', output: { problem: null, weight: '400', weightRange: null } }),
    ],
    ['an error of an unknown code', failure({ kind: 'renderInput', code: 'unavailable' })],
    [
      "Node's serialised messages",
      sending(Buffer.concat([Buffer.from([0, 0, 0, 30]), serialize({ cmd: 'NODE_HANDLE' })])),
    ],
    ["Node's messages as JSON", sending(Buffer.from('{"cmd":"NODE_HANDLE","type":"net.Server"}\n'))],
    ['noise', sending(Buffer.alloc(100_000, 0xa5))],
    ['large progress', answer({ kind: 'progress', done: 1, count: 2, more: ' '.repeat(10_000) })],
    ['an endless text', `for (;;) writeSync(3, Buffer.alloc(65_536, 0x20));`],
  ])('fails only its task when it sends %s', async (_what, code) => {
    const pool = poolTakenOverBy(code);
    const font = { name: MARK };
    const hostile = pool.run('font', font, { owner: 'attacker', bytes: PICTURE }).catch((error: unknown) => error);
    const other = await pool.run('source', { kind: 'image' }, { owner: 'victim', bytes: PICTURE });
    expect(other).toMatchObject({ contentType: 'image/png' });
    expect(await hostile).toMatchObject({
      name: 'RenderError',
      code: 'render_crashed',
      message: 'The render process sent a malformed message',
    });
    // The pool starts another process for the same owner.
    const next = await pool.run('source', { kind: 'image' }, { owner: 'attacker', bytes: PICTURE });
    expect(next).toEqual(other);
    expect(unhandled).toEqual([]);
  });

  it('lets the next task of its owner wait, and no other', async () => {
    const pool = poolTakenOverBy(answer(null));
    const attack = (): Promise<unknown> =>
      pool.run('font', { name: MARK }, { owner: 'attacker', bytes: PICTURE }).catch((error: unknown) => error);
    const inspect = (): Promise<unknown> => pool.run('source', { kind: 'image' }, { owner: 'victim', bytes: PICTURE });
    await inspect();
    await attack();
    await attack();
    const at = performance.now();
    const third = attack().then(() => performance.now() - at);
    await inspect();
    const victim = performance.now() - at;
    // The second pause is of 500 ms, and began when the second process ended.
    expect(await third).toBeGreaterThan(490);
    expect(victim).toBeLessThan(await third);
  });

  it('ends a task that waits after crashes as soon as the pool is closed', async () => {
    const pool = poolTakenOverBy(answer(null));
    const attack = (): Promise<unknown> =>
      pool.run('font', { name: MARK }, { owner: 'attacker', bytes: PICTURE }).catch((error: unknown) => error);
    for (let crashes = 0; crashes < 4; crashes++) await attack();
    const at = performance.now();
    const waiting = attack();
    await pool.close();
    expect(await waiting).toMatchObject({ code: 'render_crashed', message: 'The render pool was closed' });
    // The pause would be 2 s long.
    expect(performance.now() - at).toBeLessThan(1_500);
  });

  it('leaves most of the time of the thread to others when it sends progress without end', async () => {
    const progress = Buffer.concat(encodeMessage(0, { kind: 'progress', done: 1, count: 2 }));
    const many = Buffer.concat(Array.from({ length: 500 }, () => progress)).toString('base64');
    // Writing throws while the pipe is full.
    const pool = poolTakenOverBy(
      `const many = Buffer.from('${many}', 'base64');
       for (let at = 0; ; at %= many.length) try { at += writeSync(3, many, at); } catch {}`,
    );
    const controller = new AbortController();
    let isSending: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      isSending = resolve;
    });
    const options = { bytes: PICTURE, signal: controller.signal, onProgress: () => isSending() };
    const hostile = pool.run('font', { name: MARK }, options).catch((error: unknown) => error);
    await started;
    const before = performance.eventLoopUtilization();
    await sleep(2_000);
    const { utilization } = performance.eventLoopUtilization(before);
    controller.abort(new Error('enough'));
    expect(await hostile).toMatchObject({ message: 'enough' });
    expect(utilization).toBeLessThan(0.6);
  });

  it('does not believe that the disk is full', async () => {
    const pool = poolTakenOverBy(failure({ code: 'ENOSPC' }));
    const font = { name: MARK };
    const error = await pool.run('font', font, { bytes: PICTURE }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ message: 'x' });
    expect(error).not.toHaveProperty('code');
  });

  it('passes on only the declared fields of an answer', async () => {
    const output = { problem: null, weight: 400, weightRange: null, toJSON: 'x' };
    const pool = poolTakenOverBy(answer({ kind: 'done', output, extra: 1 }));
    const font = { name: MARK };
    expect(await pool.run('font', font, { bytes: PICTURE })).toEqual({ problem: null, weight: 400, weightRange: null });
  });
});
