import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { count } from '../../../support/proof.ts';
import { startApp, type TestApp, TOKENS } from '../../../support/service-app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startApp({
    limits: { headersMs: 1_500, bodyMs: 1_500, uploadMs: 3_000, checkMs: 100 },
    settings: { logLevel: 'silent' },
  });
});
afterAll(() => service.close());

interface Slow {
  readonly socket: Socket;
  /** The whole answer, once the connection is closed. */
  readonly answer: Promise<string>;
}

async function open(text: string): Promise<Slow> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port) });
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(text);
  return { socket, answer: new Promise((resolve) => socket.once('close', () => resolve(answer))) };
}

/** Sends a byte every 100 ms, as the attack does. */
function drip({ socket }: Slow, text: string): void {
  const timer = setInterval(() => socket.write(text), 100);
  socket.once('close', () => clearInterval(timer));
}

const authorized = `Host: x\r\nAuthorization: Bearer ${TOKENS.acme}\r\n`;

describe('deliberately slow clients', () => {
  it('get 408 and are disconnected while other requests are answered', async () => {
    const slow = await Promise.all(
      Array.from({ length: count(1_000, 100) }, () => open(`GET /v2/render_sessions HTTP/1.1\r\n${authorized}`)),
    );
    for (const one of slow) drip(one, 'X-a: b\r\n');
    let closed = 0;
    for (const one of slow) void one.answer.then(() => (closed += 1));
    let answered = 0;
    while (closed < slow.length) {
      expect((await service.api('GET', '/v2/render_sessions')).status).toBe(200);
      answered += 1;
    }
    expect(answered).toBeGreaterThan(5);
    for (const one of slow) expect(await one.answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*application\/problem\+json/);
  });

  it('with a JSON body', async () => {
    const slow = await open(
      `POST /v2/render_sessions HTTP/1.1\r\n${authorized}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    );
    drip(slow, ' ');
    const answer = await slow.answer;
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('"code":"request_timeout"');
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  });

  it('with a chunked JSON body', async () => {
    const slow = await open(
      `POST /v2/render_sessions HTTP/1.1\r\n${authorized}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    drip(slow, '1\r\n \r\n');
    expect(await slow.answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('with an upload, which has more time', async () => {
    const slow = await open(
      `POST /v2/source_uploads HTTP/1.1\r\n${authorized}Content-Type: image/png\r\nContent-Length: 1000\r\n\r\n{`,
    );
    drip(slow, ' ');
    expect(await slow.answer).toMatch(/^HTTP\/1\.1 408 /);
    const headers = { 'content-type': 'image/png' };
    expect((await service.api('POST', '/v2/source_uploads', { body: 'x', headers })).status).toBe(201);
  });

  it.each([
    ['/v2/source_uploads', 'image/png'],
    ['/v2/render_sessions', 'application/json'],
  ])('that disconnect during a body to %s leave nothing behind', async (path, type) => {
    const gone = count(1_000, 20);
    for (let index = 0; index < gone; index += 1) {
      const slow = await open(
        `POST ${path} HTTP/1.1\r\n${authorized}Content-Type: ${type}\r\nContent-Length: 1000\r\n\r\n{`,
      );
      slow.socket.destroy();
      await slow.answer;
    }
    const counted = async (): Promise<number> => {
      const lines = (await service.metrics.text()).split('\n');
      const line = lines.find((one) => /_count\{/.test(one) && one.includes(`route="${path}",status="499"`));
      return Number(line?.split(' ').at(-1) ?? 0);
    };
    // Some disconnect before their headers are read.
    await expect.poll(counted).toBeGreaterThan(0);
    const body = path.endsWith('uploads') ? 'y' : '{}';
    const answer = await service.api('POST', path, { body, headers: { 'content-type': type } });
    expect([200, 201, 400]).toContain(answer.status);
  });

  it('that request a large file without reading it are disconnected', async () => {
    const size = 64 * 1024 * 1024;
    const stream = () => Readable.from(Array.from({ length: 1024 }, () => Buffer.alloc(size / 1024)));
    const large = await startApp({
      limits: { stalledMs: 300 },
      ports: {
        outputs: {
          find: async () => ({ size, contentType: 'video/mp4', etag: 'x', fileName: 'x.mp4', stream }),
          signDownload: () => 'x',
          verifyDownload: () => false,
        },
      },
    });
    const { hostname, port } = new URL(large.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.write('GET /outputs/a/b.mp4 HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'readable');
    const connections = (): Promise<number> =>
      new Promise((resolve) => large.app.server.getConnections((_error, count) => resolve(count)));
    await expect.poll(connections).toBe(0);
    socket.destroy();
    await large.close();
  });

  it('are rejected beyond the configured number of connections', async () => {
    const small = await startApp({ settings: { maxConnections: 3 } });
    const { hostname, port } = new URL(small.url);
    const sockets = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const socket = connect({ host: hostname, port: Number(port) });
        await new Promise((resolve) => socket.once('connect', resolve));
        return socket;
      }),
    );
    const refused = connect({ host: hostname, port: Number(port) });
    await new Promise((resolve) => refused.once('close', resolve));
    for (const socket of sockets) socket.destroy();
    await small.close();
  });
});
