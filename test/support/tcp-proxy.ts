import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Manipulation of the bytes of a connection, with the names and meanings of toxiproxy. Times are milliseconds. */
export type Toxic =
  /** Delays each chunk. */
  | { readonly type: 'latency'; readonly latency: number }
  /** Splits into chunks of at most this many bytes, with a delay between them. */
  | { readonly type: 'slicer'; readonly average_size: number; readonly delay: number }
  /** Resets the connection after this time. */
  | { readonly type: 'reset_peer'; readonly timeout: number }
  /** Stops all data and closes the connection after this time; 0 keeps it open. */
  | { readonly type: 'timeout'; readonly timeout: number }
  /** Kilobytes per second. */
  | { readonly type: 'bandwidth'; readonly rate: number }
  /** Closes the connection after this many bytes. */
  | { readonly type: 'limit_data'; readonly bytes: number }
  /** Delays the end. */
  | { readonly type: 'slow_close'; readonly delay: number }
  /** Refuses connections. */
  | { readonly type: 'down' };

export type Stream = 'upstream' | 'downstream';

/** A TCP proxy in front of a server on this machine. */
export interface TcpProxy {
  readonly url: string;
  /** Sets the toxics of new connections: `upstream` to the server, `downstream` from it. */
  set(toxics: Partial<Record<Stream, readonly Toxic[]>>): void;
  /**
   * Simulates a pulled cable: from now on nothing passes, including on open connections, and neither side sees an end.
   * `mend` delivers the bytes sent meanwhile.
   */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** @param host address to listen on */
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
    // The end of one side ends the other.
    to.destroy();
  }
}
