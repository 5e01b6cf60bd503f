import type { ServerResponse } from 'node:http';
import { temporaryFolder, tryToRemove } from '../../src/kernel/temporary-folder.ts';
import { SessionFailure, type TenantId } from '../../src/service/sessions/ports.ts';
import { ALLOW_EVERYTHING } from '../../src/service/sessions/sources/allow-list.ts';
import { describeSource } from '../../src/service/sessions/sources/describe-source.ts';
import { PoliteHosts } from '../../src/service/sessions/sources/polite-hosts.ts';
import { createSources } from '../../src/service/sessions/sources/sources.ts';
import { startServer } from './http-server.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';
import { solidPng } from './small-package.ts';

/** One failed answer of the host of a source. */
interface SourceFault {
  readonly name: string;
  readonly reply: (response: ServerResponse) => void;
  /** Asks for a wait that is too long. */
  readonly isFinal?: boolean;
}

const status = (code: number, retryAfter?: string, isFinal = false): SourceFault => ({
  name: retryAfter === undefined ? `${code}` : `${code} with Retry-After ${retryAfter}`,
  reply: (response) =>
    void response.writeHead(code, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end('busy'),
  isFinal,
});

const FAULTS: readonly SourceFault[] = [
  ...['0', '1', '60', 'junk', 'Thu, 01 Jan 2026 00:00:00 GMT'].map((after) => status(429, after)),
  ...['1', '60'].map((after) => status(503, after)),
  ...[429, 500, 502, 503, 504].map((code) => status(code)),
  status(429, '61', true),
  { name: 'a reset', reply: ({ socket }) => socket?.resetAndDestroy() },
  {
    name: 'a cut body',
    reply: (response) =>
      void response
        .writeHead(200, { 'content-type': 'image/png', 'content-length': '1000' })
        .write('x', () => response.destroy()),
  },
];

interface File {
  readonly path: string;
  readonly tenant: TenantId;
  readonly isRedirected: boolean;
  readonly faults: readonly (readonly [at: 'redirect' | 'target', fault: SourceFault])[];
  readonly bytes: Buffer;
}

/** Files of one scenario, and the tries of the documented limit. */
const FILES = 6;
const MAX_TRIES = 4;

/** Counts of the scenarios, and the mistakes: none is expected. */
export interface SourceFigures {
  scenarios: number;
  files: number;
  faults: number;
  fetched: number;
  /** Files whose host failed for too often or too long. */
  failed: number;
  toldWrongly: number;
  /** Files that were requested less or more often than documented. */
  triedWrongly: number;
}

export function newSourceFigures(): SourceFigures {
  return { scenarios: 0, files: 0, faults: 0, fetched: 0, failed: 0, toldWrongly: 0, triedWrongly: 0 };
}

/**
 * Reads files of two tenants at once from hosts with passing faults, directly and through redirects. Waits take no time.
 *
 * @returns the mistakes, for the message of a failure
 */
export async function sourceScenario(seed: number, figures: SourceFigures): Promise<string[]> {
  const random = seededRandom(seed);
  const files = Array.from({ length: FILES }, (_, index) => fileOf(random, index));
  const left = new Map(files.map((file) => [file.path, [...file.faults]]));
  const tries = new Map(files.map(({ path }) => [path, 0]));
  const answer = (at: 'redirect' | 'target', path: string, response: ServerResponse, good: () => void): void => {
    const faults = left.get(path)!;
    const fails = faults[0]?.[0] === at;
    if (fails || at === 'target') tries.set(path, tries.get(path)! + 1);
    if (fails) faults.shift()![1].reply(response);
    else good();
  };
  const target = await startServer(({ url = '' }, response) => {
    const { bytes } = files.find(({ path }) => path === url)!;
    answer('target', url, response, () => response.writeHead(200, { 'content-type': 'image/png' }).end(bytes));
  });
  const first = await startServer(({ url = '' }, response) =>
    answer('redirect', url, response, () => response.writeHead(302, { location: `${target.url}${url}` }).end()),
  );
  const directory = temporaryFolder('reelform-source-faults-');
  const { reader } = createSources({
    directory,
    allow: ALLOW_EVERYTHING,
    inspect: describeSource,
    mayRead: async () => true,
    isOneRun: true,
    readsAtOnce: 4,
    now: Date.now,
    hosts: new PoliteHosts({ pause: async () => {}, monotonicNow: () => 0 }),
  });
  const read = async ({ path, tenant, isRedirected, faults, bytes }: File): Promise<string[]> => {
    const { signal } = new AbortController();
    const wanted = { remoteUrl: `${(isRedirected ? first : target).url}${path}`, kind: 'image' } as const;
    const outcome = await reader.read(tenant, wanted, signal).catch((error: unknown) => error);
    const final = faults.findIndex(([, { isFinal = false }], index) => isFinal || index === MAX_TRIES - 1);
    const expectedTries = final === -1 ? faults.length + 1 : final + 1;
    const mustFail = final !== -1;
    const isRight = mustFail
      ? outcome instanceof SessionFailure && outcome.error.code === 'asset_unreachable' && outcome.error.retryable
      : !(outcome instanceof Error) && bytes.equals((outcome as { bytes: Buffer }).bytes);
    const isTold = !mustFail || expectedTries === 1 || String(outcome).endsWith(`, after ${expectedTries} tries`);
    figures.files += 1;
    figures.faults += faults.length;
    figures[outcome instanceof Error ? 'failed' : 'fetched'] += 1;
    figures.toldWrongly += isRight && isTold ? 0 : 1;
    figures.triedWrongly += tries.get(path) === expectedTries ? 0 : 1;
    const what = `seed ${seed}: ${path} with ${faults.map(([at, { name }]) => `${name} of the ${at}`).join(', ')}`;
    return [
      ...(isRight && isTold ? [] : [`${what}: ${String(outcome)}`]),
      ...(tries.get(path) === expectedTries ? [] : [`${what}: ${tries.get(path)} tries, not ${expectedTries}`]),
    ];
  };
  try {
    figures.scenarios += 1;
    return (await Promise.all(files.map(read))).flat();
  } finally {
    await Promise.all([first.close(), target.close()]);
    tryToRemove(directory);
  }
}

function fileOf(random: SeededRandom, index: number): File {
  const isRedirected = random.below(2) === 0;
  const count = random.pick([0, 1, 1, 2, 2, 3, 3, 4, 5]);
  return {
    path: `/${index}.png`,
    tenant: random.pick(['a', 'b']) as TenantId,
    isRedirected,
    faults: Array.from({ length: count }, () => [
      isRedirected && random.below(2) === 0 ? 'redirect' : 'target',
      random.pick(FAULTS),
    ]),
    bytes: Buffer.from(solidPng(`#${(0x100000 + index).toString(16)}`)),
  };
}
