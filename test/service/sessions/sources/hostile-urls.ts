import { createServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type LookupFunction, type Server } from 'node:net';

/** A URL that must not be connected to. */
export interface HostileUrl {
  readonly what: string;
  readonly url: string;
  /** Whether a client without a guard connects to the trap; otherwise an earlier check stops it. */
  readonly isLive: boolean;
  /** Whether only `hostileLookup` resolves its host. All others resolve on this machine. */
  readonly isNamed: boolean;
}

/** Addresses of the names in the corpus, as an attacker could choose them. */
const NAMES: Record<string, readonly string[]> = {
  'loopback.example': ['127.0.0.1'],
  'loopback6.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'mixed.example': ['192.0.43.7', '127.0.0.1'],
  'mixed6.example': ['2620:0:2d0:200::7', '::1'],
  'private.example': ['10.0.0.5'],
  'zero.example': ['0.0.0.0'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'none.example': [],
  'metadata.google.internal': ['169.254.169.254'],
  'instance-data.ec2.internal': ['169.254.169.254'],
  'metadata.azure.example': ['168.63.129.16'],
  'metadata6.example': ['fd00:ec2::254'],
};

/** A resolver under an attacker's control. It knows only the names of the corpus and sends no queries. */
export const hostileLookup: LookupFunction = (hostname, options, callback) => {
  answerLookup(NAMES[hostname.toLowerCase().replace(/\.$/, '')] ?? [], options, callback);
};

/** Returns addresses in the form of `dns.lookup`. */
export function answerLookup(
  addresses: readonly string[],
  options: Parameters<LookupFunction>[1],
  callback: Parameters<LookupFunction>[2],
): void {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  if (found.length === 0) callback(Object.assign(new Error('unknown name'), { code: 'ENOTFOUND' }), '');
  else if (options.all === true) callback(null, found);
  else callback(null, found[0]!.address, found[0]!.family);
}

/** Spellings of loopback that lead a client without a guard to the trap. */
const LIVE_HOSTS: readonly (readonly [what: string, host: string])[] = [
  ['plain', '127.0.0.1'],
  ['decimal', '2130706433'],
  ['octal', '017700000001'],
  ['hexadecimal', '0x7f000001'],
  ['hexadecimal, upper case', '0X7F000001'],
  ['octal parts', '0177.0.0.01'],
  ['hexadecimal parts', '0x7f.0x0.0x0.0x1'],
  ['mixed parts', '127.0x0.0.01'],
  ['leading zeros', '00000000000000000000177.0.0.1'],
  ['two parts', '127.1'],
  ['three parts', '127.0.1'],
  ['two parts, hexadecimal', '0x7f.1'],
  ['a dot at the end', '127.0.0.1.'],
  ['percent-encoded', '127%2e0%2e0%2e1'],
  ['percent-encoded digits', '%31%32%37.0.0.1'],
  ['circled digits', '①②⑦.⓪.⓪.①'],
  ['full-width digits', '１２７.０.０.１'],
  ['ideographic dots', '127。0。0。1'],
  ['half-width ideographic dots', '127｡0｡0｡1'],
  ['mathematical digits', '𝟏𝟐𝟕.𝟎.𝟎.𝟏'],
  ['a soft hyphen inside', '127.0.0\u00ad.1'],
  ['a zero-width space inside', '127.\u200b0.0.1'],
  ['a tab inside', '127.0\t.0.1'],
  ['a newline inside', '127.0\n.0.1'],
  ['this network', '0.0.0.0'],
  ['this network, short', '0'],
  ['IPv6 loopback', '[::1]'],
  ['IPv6 loopback, long', '[0000:0000:0000:0000:0000:0000:0000:0001]'],
  ['IPv6 loopback, dotted', '[::0.0.0.1]'],
  ['IPv6 unspecified', '[::]'],
  ['IPv4-mapped', '[::ffff:127.0.0.1]'],
  ['IPv4-mapped, hexadecimal', '[::ffff:7f00:1]'],
  ['IPv4-mapped, long', '[0:0:0:0:0:ffff:127.0.0.1]'],
  ['localhost', 'localhost'],
  ['localhost, upper case', 'LOCALHOST'],
  ['localhost, circled', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ'],
  ['localhost, full-width', 'ｌｏｃａｌｈｏｓｔ'],
];

/** Hosts that lead elsewhere, or nowhere on this machine. */
const OTHER_HOSTS: readonly (readonly [what: string, host: string])[] = [
  ['elsewhere in loopback', '127.255.255.254'],
  ['localhost with a dot', 'localhost.'],
  ['below localhost', 'anything.localhost'],
  ['below localhost with a dot', 'a.b.localhost.'],
  ['this network, not its first', '0.1.2.3'],
  ['private 10', '10.0.0.1'],
  ['private 10, decimal', '167772161'],
  ['private 172', '172.16.0.1'],
  ['private 172, last', '172.31.255.254'],
  ['private 192', '192.168.0.1'],
  ['carrier NAT', '100.64.0.1'],
  ['link-local', '169.254.1.1'],
  ['metadata', '169.254.169.254'],
  ['metadata, decimal', '2852039166'],
  ['metadata, hexadecimal', '0xa9fea9fe'],
  ['metadata, octal', '0251.0376.0251.0376'],
  ['metadata, mapped', '[::ffff:169.254.169.254]'],
  ['metadata, compatible', '[::169.254.169.254]'],
  ['metadata over IPv6', '[fd00:ec2::254]'],
  ['metadata of Azure', '168.63.129.16'],
  ['metadata of Alibaba', '100.100.100.200'],
  ['metadata of Oracle', '192.0.0.192'],
  ['containers of ECS', '169.254.170.2'],
  ['documentation 1', '192.0.2.1'],
  ['documentation 2', '198.51.100.1'],
  ['documentation 3', '203.0.113.1'],
  ['protocol assignments', '192.0.0.1'],
  ['6to4 relay', '192.88.99.1'],
  ['benchmarking', '198.18.0.1'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['IPv4-compatible loopback', '[::127.0.0.1]'],
  ['IPv4-translated loopback', '[::ffff:0:127.0.0.1]'],
  ['NAT64 of loopback', '[64:ff9b::127.0.0.1]'],
  ['NAT64 of a private address', '[64:ff9b::10.0.0.1]'],
  ['local NAT64', '[64:ff9b:1::7f00:1]'],
  ['6to4 of loopback', '[2002:7f00:1::]'],
  ['6to4 of a private address', '[2002:a00:1::1]'],
  ['Teredo', '[2001:0:7f00:1::1]'],
  ['unique local', '[fd12:3456:789a::1]'],
  ['unique local, first half', '[fc00::1]'],
  ['IPv6 link-local', '[fe80::1]'],
  ['IPv6 site-local', '[fec0::1]'],
  ['IPv6 multicast', '[ff02::1]'],
  ['IPv6 documentation', '[2001:db8::1]'],
  ['IPv6 documentation, new', '[3fff::1]'],
  ['IPv6 discard', '[100::1]'],
  ['segment routing', '[5f00::1]'],
  ['unallocated IPv6', '[4000::1]'],
  ['a zone', '[fe80::1%25lo]'],
  ['a zone on loopback', '[::1%25lo]'],
  ['a zone, not encoded', '[::1%lo]'],
];

/** URLs that are rejected before any host is resolved. `PORT` stands for the trap's. */
const OTHER_URLS: readonly (readonly [what: string, url: string])[] = [
  ['a user', 'http://user@127.0.0.1:PORT/'],
  ['a user and a password', 'http://user:secret@127.0.0.1:PORT/'],
  ['a public host as user', 'http://example.com@127.0.0.1:PORT/'],
  ['a public host and port as user and password', 'http://example.com:80@127.0.0.1:PORT/'],
  ['a public host as user, encoded', 'http://example.com%40@127.0.0.1:PORT/'],
  ['two at signs', 'http://a@b@127.0.0.1:PORT/'],
  ['a backslash', 'http://127.0.0.1:PORT\\@example.com/'],
  ['no slashes', 'http:127.0.0.1:PORT/'],
  ['one slash', 'http:/127.0.0.1:PORT/'],
  ['three slashes', 'http:///127.0.0.1:PORT/'],
  ['backslashes', 'http:\\\\127.0.0.1:PORT\\'],
  ['upper case', 'HTTP://127.0.0.1:PORT/'],
  ['white space around', '  http://127.0.0.1:PORT/  '],
  ['a tab in the protocol', 'ht\ttp://127.0.0.1:PORT/'],
  ['https', 'https://127.0.0.1:PORT/'],
  ['https on IPv6', 'https://[::1]:PORT/'],
  ['https on localhost', 'https://localhost:PORT/'],
  ['a fragment', 'http://127.0.0.1:PORT/#@example.com'],
  ['a query', 'http://127.0.0.1:PORT/?url=http://example.com'],
  ['no protocol', '//127.0.0.1:PORT/'],
  ['no protocol at all', '127.0.0.1:PORT'],
  ['localhost as protocol', 'localhost:PORT/'],
  ['file', 'file:///etc/passwd'],
  ['file with a host', 'file://127.0.0.1/etc/passwd'],
  ['ftp', 'ftp://127.0.0.1:PORT/'],
  ['gopher', 'gopher://127.0.0.1:PORT/_GET%20/'],
  ['dict', 'dict://127.0.0.1:PORT/stat'],
  ['ws', 'ws://127.0.0.1:PORT/'],
  ['data', 'data:image/png;base64,iVBORw0KGgo='],
  ['blob', 'blob:http://127.0.0.1:PORT/1'],
  ['javascript', 'javascript:fetch("http://127.0.0.1:PORT/")'],
  ['a socket', 'unix:/var/run/docker.sock:/info'],
  ['a socket, as got has it', 'http://unix:/var/run/docker.sock:/info'],
  ['a socket with http', 'http+unix://%2Fvar%2Frun%2Fdocker.sock/info'],
  ['jar', 'jar:http://127.0.0.1:PORT/!/a'],
  ['another urn', 'urn:isbn:0451450523'],
  ['an upload with a short digest', 'urn:sha256:abcdef'],
  ['an upload with a path', 'urn:sha256:../../../../etc/passwd'],
  ['a path', '/etc/passwd'],
  ['nothing', ''],
];

const PORTS = [22, 25, 3306, 5432, 6379, 8080, 9200, 11_211];

/** @param trapPort port of a server that must not be reached */
export function hostileUrls(trapPort: number): HostileUrl[] {
  const live = LIVE_HOSTS.map(([what, host]) => ({ what, url: `http://${host}:${trapPort}/`, isLive: true }));
  const others = OTHER_HOSTS.map(([what, host]) => ({ what, url: `http://${host}:${trapPort}/`, isLive: false }));
  const usual = OTHER_HOSTS.map(([what, host]) => ({
    what: `${what}, port 80`,
    url: `http://${host}/`,
    isLive: false,
  }));
  const urls = OTHER_URLS.map(([what, url]) => ({ what, url: url.replace('PORT', `${trapPort}`), isLive: false }));
  const ports = PORTS.map((port) => ({ what: `port ${port}`, url: `http://192.0.43.7:${port}/`, isLive: false }));
  const named = Object.keys(NAMES).flatMap((name) => [
    { what: `the name ${name}`, url: `http://${name}:${trapPort}/`, isLive: false, isNamed: true },
    { what: `the name ${name}, absolute`, url: `http://${name}.:${trapPort}/`, isLive: false, isNamed: true },
    { what: `the name ${name}, https`, url: `https://${name}/`, isLive: false, isNamed: true },
  ]);
  return [...live, ...others, ...usual, ...urls, ...ports, ...named].map((one) => ({ isNamed: false, ...one }));
}

/** A server that counts connections on both loopback addresses. */
export interface Trap {
  readonly port: number;
  /** Connections since it was started. */
  connections(): number;
  close(): Promise<void>;
}

export async function startTrap(): Promise<Trap> {
  let connections = 0;
  const listen = (host: string, port: number): Promise<Server> =>
    new Promise((resolve, reject) => {
      const server = createTcpServer((socket) => {
        connections += 1;
        socket.on('error', () => {}).resume();
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nsecret');
      });
      server.once('error', reject).listen({ host, port, ipv6Only: host === '::1' }, () => resolve(server));
    });
  for (;;) {
    const first = await listen('127.0.0.1', 0);
    const { port } = first.address() as AddressInfo;
    // The same port may be taken on ::1.
    const second = await listen('::1', port).catch(() => null);
    if (second === null) await closed(first);
    else return { port, connections: () => connections, close: () => closed(first, second) };
  }
}

/** An honest host that redirects to the target in its query, `/?to=…`, after `hops` redirects to itself. */
export interface Redirector {
  readonly port: number;
  urlTo(target: string, hops?: number): string;
  close(): Promise<void>;
}

export async function startRedirector(): Promise<Redirector> {
  const server: HttpServer = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    const hops = Number(searchParams.get('hops'));
    const to = searchParams.get('to') ?? '';
    const location = hops > 0 ? urlTo(to, hops - 1) : Buffer.from(to).toString('latin1');
    response.on('error', () => {});
    try {
      response.writeHead(302, { location }).end();
    } catch {
      // A target with a line break is not a valid header.
      response.writeHead(400).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const urlTo = (to: string, hops = 0): string =>
    `http://127.0.0.1:${port}/?${new URLSearchParams({ to, hops: `${hops}` })}`;
  return { port, urlTo, close: () => closed(server) };
}

async function closed(...servers: (Server | HttpServer)[]): Promise<void> {
  for (const server of servers) {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      if ('closeAllConnections' in server) server.closeAllConnections();
    });
  }
}
