import { createServer, type IncomingMessage, request as requestHttp } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface HttpProxyOptions {
  /** Ports on the loopback of the hosts that this proxy resolves: `name:port` or `address:port` → port. */
  readonly hosts?: Readonly<Record<string, number>>;
  /** `user:password` that it demands. */
  readonly login?: string;
  /** Status that it answers to each CONNECT; 0 never answers. */
  readonly refusal?: number;
}

/** A real forward proxy on a free loopback port, which resolves its own names. */
export interface HttpProxy {
  readonly url: string;
  /** First lines of all requests, without the version: `CONNECT name:443`, `GET http://name/path`. */
  readonly requests: string[];
  /** Open connections to the proxy. */
  connections(): number;
  close(): Promise<void>;
}

export async function startHttpProxy({ hosts = {}, login, refusal }: HttpProxyOptions = {}): Promise<HttpProxy> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const expected = login === undefined ? null : `Basic ${Buffer.from(login).toString('base64')}`;
  const isAllowed = ({ headers }: IncomingMessage): boolean =>
    expected === null || headers['proxy-authorization'] === expected;

  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (!isAllowed(request)) {
      response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end();
      return;
    }
    const url = new URL(request.url!);
    const port = hosts[`${url.hostname}:${url.port || 80}`];
    if (port === undefined) {
      response.writeHead(502).end();
      return;
    }
    const { 'proxy-authorization': _, ...headers } = request.headers;
    const path = `${url.pathname}${url.search}`;
    const onward = requestHttp({ host: '127.0.0.1', port, path, method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    requests.push(`CONNECT ${request.url}`);
    socket.on('error', () => undefined);
    // The sockets of a server stay open after the end of the client.
    socket.resume().on('end', () => socket.end());
    if (refusal === 0) return;
    const port = hosts[request.url!];
    const status = refusal ?? (isAllowed(request) ? (port === undefined ? 502 : 200) : 407);
    // A refusal that looks like the answer of the host: no client may take it for one.
    const body = status === 200 ? '' : '{"forged":true}';
    socket.write(`HTTP/1.1 ${status} x\r\ncontent-length: ${body.length}\r\n\r\n`.replace(/content-length: 0\r\n/, ''));
    if (status !== 200) {
      socket.end(body);
      return;
    }
    const onward = connect(port!, '127.0.0.1');
    onward.on('error', () => socket.destroy());
    onward.on('close', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    onward.pipe(socket).pipe(onward);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    connections: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
