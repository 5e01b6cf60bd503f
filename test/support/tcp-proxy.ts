import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What is done to the bytes of a connection; the names and meanings are toxiproxy's. Times are milliseconds. */
export type Toxic =
  /** Each piece comes later. */
  | { readonly type: 'latency'; readonly latency: number }
  /** Pieces of so many bytes at most, each so much after the one before. */
  | { readonly type: 'slicer'; readonly average_size: number; readonly delay: number }
  /** The connection is reset, so long after it began. */
  | { readonly type: 'reset_peer'; readonly timeout: number }
  /** Nothing gets through, and after this long it is closed; 0: it stays. */
  | { readonly type: 'timeout'; readonly timeout: number }
  /** Kilobytes a second. */
  | { readonly type: 'bandwidth'; readonly rate: number }
  /** Closed once so many bytes went through. */
  | { readonly type: 'limit_data'; readonly bytes: number }
  /** The end comes later. */
  | { readonly type: 'slow_close'; readonly delay: number }
  /** Nobody is there. */
  | { readonly type: 'down' };

export type Stream = 'upstream' | 'downstream';

/** A TCP proxy before a server of this machine. */
export interface TcpProxy {
  readonly url: string;
  /** For connections that begin from now on: what goes to the server, and what comes from it. */
  set(toxics: Partial<Record<Stream, readonly Toxic[]>>): void;
  /**
   * As a cable that is pulled: from now on nothing gets through, of the connections there are either, and neither side is
   * told of an end. `mend` brings what was sent meanwhile.
   */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** @param host the address to listen on */
export async function startTcpProxy(target: string, host = '127.0.0.1'): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let passed: Promise<void> = Promise.resolve();
  let mend = (): void => undefined;
  const passage = (): Promise<void> => passed;
  let toxics: Partial<Record<Stream, readonly Toxic[]>> = {};
  const server = createServer((client) => {
    const { upstream: up = [], downstream: down = [] } = toxics;
    if ([...up, ...down].some(({ type }) => type === 'down')) {
      client.resetAndDestroy();
      return;
    }
    const remote = connect(Number(port), hostname);
    for (const socket of [client, remote]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    void carry(client, remote, up, passage);
    void carry(remote, client, down, passage);
    client.on('close', () => void passage().then(() => remote.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    set: (changed) => {
      toxics = changed;
    },
    cut() {
      mend();
      passed = new Promise((resolve) => {
        mend = resolve;
      });
    },
    mend: () => mend(),
    close: () =>
      new Promise((resolve) => {
        mend();
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function carry(from: Socket, to: Socket, toxics: readonly Toxic[], passage: () => Promise<void>): Promise<void> {
  const find = <T extends Toxic['type']>(type: T) =>
    toxics.find((toxic): toxic is Extract<Toxic, { type: T }> => toxic.type === type);
  const [reset, silence, limit] = [find('reset_peer'), find('timeout'), find('limit_data')];
  const [slicer, bandwidth, latency] = [find('slicer'), find('bandwidth'), find('latency')];
  if (reset !== undefined) {
    setTimeout(() => {
      to.resetAndDestroy();
      from.resetAndDestroy();
    }, reset.timeout);
  }
  if (silence !== undefined && silence.timeout > 0) setTimeout(() => to.destroy(), silence.timeout);
  let carriedBytes = 0;
  try {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      if (silence !== undefined) continue;
      await passage();
      if (latency !== undefined) await pause(latency.latency);
      const size = slicer?.average_size ?? chunk.length;
      for (let start = 0; start < chunk.length; start += size) {
        const room = limit === undefined ? Number.POSITIVE_INFINITY : limit.bytes - carriedBytes;
        const piece = chunk.subarray(start, Math.min(start + size, start + room));
        carriedBytes += piece.length;
        if (!to.write(piece)) await new Promise((resolve) => to.once('drain', resolve).once('close', resolve));
        if (limit !== undefined && carriedBytes >= limit.bytes) {
          to.destroySoon();
          from.destroy();
          return;
        }
        if (slicer !== undefined) await pause(slicer.delay);
        if (bandwidth !== undefined) await pause(piece.length / bandwidth.rate);
      }
    }
    const slow = find('slow_close');
    if (slow !== undefined) await pause(slow.delay);
    await passage();
    if (silence === undefined) to.end();
  } catch {
    // What ends one side ends the other.
    to.destroy();
  }
}
