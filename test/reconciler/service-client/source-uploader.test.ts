import { createHash } from 'node:crypto';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hashSourceFile } from '../../../src/kernel/read-source.ts';
import type { SourceFile } from '../../../src/kernel/source-file.ts';
import { createHttpService } from '../../../src/reconciler/service-client/http-service.ts';
import { bundleProgram } from '../../support/child-program.ts';
import { startServer, type TestServer } from '../../support/http-server.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';

const UPLOADED = JSON.stringify({ remote_url: 'https://render.example/sources/1' });
/** More than sockets hold, so that the client waits for a server that does not read. */
const SIZE_BYTES = 32 * 2 ** 20;

type Handle = (request: IncomingMessage, answer: ServerResponse) => void;

/** Starts a server that answers each request in its own way. */
async function serverOf(...handles: readonly Handle[]): Promise<TestServer> {
  let count = 0;
  const server = await startServer((request, answer) =>
    handles[Math.min(count++, handles.length - 1)]!(request, answer),
  );
  onTestFinished(() => server.close());
  return server;
}

/** Creates a file whose parts all differ. */
async function clip(): Promise<SourceFile> {
  const bytes = Buffer.alloc(SIZE_BYTES);
  for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(at, at);
  const folder = temporaryRepository({ 'clip.mp4': bytes });
  return hashSourceFile(join(folder, 'clip.mp4'));
}

function upload({ url }: TestServer, file: SourceFile, waits: number[] = []): Promise<{ remote_url: string }> {
  const service = createHttpService({
    url,
    token: 'token-of-this-test',
    now: () => 0,
    monotonicNow: () => 0,
    random: () => 1,
    wait: async (milliseconds) => void waits.push(milliseconds),
  });
  return service.uploadSource({ bytes: file, sha256: file.sha256, name: 'media/clip.mp4' });
}

/** Reads a request. Resolves to its headers and digest, or to null if it is aborted. */
async function received(request: IncomingMessage): Promise<{ length: string | undefined; sha256: string } | null> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of request) hash.update(chunk as Buffer);
  } catch {
    return null;
  }
  return { length: request.headers['content-length'], sha256: hash.digest('hex') };
}

/** Reads a request, changes the file after the first bytes, and records what it received in all. */
function changing(change: () => void, ends: Promise<unknown>[]): Handle {
  return (request, answer) => {
    request.once('readable', () => {
      change();
      const whole = received(request);
      ends.push(whole);
      void whole.then(() => answer.end(UPLOADED));
    });
  };
}

describe('SourceUploader', () => {
  it('streams a file again after a reset in the middle and a refusal at the start', async () => {
    const file = await clip();
    const bodies: unknown[] = [];
    const server = await serverOf(
      (request) => {
        let length = 0;
        request.on('data', (chunk: Buffer) => {
          length += chunk.length;
          if (length > SIZE_BYTES / 2) request.socket.resetAndDestroy();
        });
      },
      (_, answer) => answer.writeHead(503, { 'retry-after': '3' }).end(),
      (request, answer) => {
        void received(request).then((body) => {
          bodies.push(body);
          answer.writeHead(201).end(UPLOADED);
        });
      },
    );
    const waits: number[] = [];
    expect(await upload(server, file, waits)).toEqual(JSON.parse(UPLOADED));
    expect(bodies).toEqual([{ length: String(SIZE_BYTES), sha256: file.sha256 }]);
    expect(server.requests).toHaveLength(3);
    expect(waits[1]).toBe(3000);
  });

  it.each<[string, (path: string) => void]>([
    ['becomes shorter', (path) => truncateSync(path, SIZE_BYTES / 2)],
    ['becomes longer', (path) => writeFileSync(path, 'more', { flag: 'a' })],
    ['gets another content of the same length', (path) => writeFileSync(path, Buffer.alloc(SIZE_BYTES))],
  ])('fails once and completes no request when a file %s while it is sent', async (_, change) => {
    const file = await clip();
    const ends: Promise<unknown>[] = [];
    const server = await serverOf(changing(() => change(file.path), ends));
    await expect(upload(server, file)).rejects.toMatchObject({
      code: 'changed_since_plan',
      message: 'media/clip.mp4 changed after the plan was made',
    });
    expect(await Promise.all(ends)).toEqual([null]);
    expect(server.requests).toHaveLength(1);
  });

  it('reports a file that is missing as changed', async () => {
    const file = await clip();
    rmSync(file.path);
    const server = await serverOf((_, answer) => void answer.end(UPLOADED));
    await expect(upload(server, file)).rejects.toMatchObject({ code: 'changed_since_plan' });
  });

  it('reports a refusal that comes before the end of the file', async () => {
    const file = await clip();
    const problem = JSON.stringify({ code: 'body_too_large', detail: 'The file is larger than 1 MB' });
    const server = await serverOf((request, answer) => {
      request.once('readable', () => answer.writeHead(413).end(problem));
    });
    await expect(upload(server, file)).rejects.toMatchObject({ status: 413, code: 'body_too_large' });
    expect(server.requests).toHaveLength(1);
  });

  it('sends 300 MB in the memory of a small file', async () => {
    const folder = temporaryRepository({ small: 'x', large: '' });
    truncateSync(join(folder, 'large'), 300e6);
    const lengths: number[] = [];
    const server = await serverOf((request, answer) => {
      void received(request).then((body) => {
        lengths.push(Number(body?.length));
        answer.end(UPLOADED);
      });
    });
    const program = await bundleProgram(join(import.meta.dirname, 'upload-file.ts'));
    const peaks: number[] = [];
    for (const name of ['small', 'large']) {
      const { stdout } = await execa(process.execPath, [program, server.url, join(folder, name)]);
      peaks.push(Number(stdout));
    }
    expect(lengths).toEqual([1, 300e6]);
    const [small, peak] = peaks as [number, number];
    expect(peak - small).toBeLessThan(60e6);
  });
});
