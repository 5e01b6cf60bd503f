import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { count, tell } from '../support/proof.ts';
import { startApp, type TestApp, TOKENS } from '../support/service-app.ts';
import { smallRequest } from '../support/small-sessions.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startApp({ settings: { logLevel: 'silent' } });
});
afterAll(() => service.close());

const awkward = fc.constantFrom<unknown>(
  null,
  '',
  0,
  -1,
  1e21,
  true,
  [],
  {},
  [[]],
  'x'.repeat(3000),
  '😀',
  '__proto__',
  'toString',
  '../..',
  '%00',
  '#',
  '\u202e',
  { source: null },
  { source: {} },
  { source: { text: {} } },
  { source: { remote_url: 'file:///etc/passwd' } },
  { source: { text: 'x' }, transform: { crop_strategy: 'manual' } },
);
const key = fc.oneof(
  fc.constantFrom(
    'title',
    'render',
    'mapping',
    'template_style_version_id',
    'resources',
    'source',
    'text',
    'remote_url',
    'transform',
    'crop_strategy',
    't_01',
    'c_01',
    '(Footage)/USER/photo.png',
    'output',
    'format',
    'hasOwnProperty',
    '__proto__',
    'a/b~c',
  ),
  fc.string({ maxLength: 8 }),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, awkward, fc.string(), fc.double(), tie('object')),
  object: fc.dictionary(key, tie('value'), { maxKeys: 6, noNullPrototype: true }),
})).value;

/** A valid request with one value replaced. */
const spoiled = fc.tuple(fc.nat(40), json).map(([place, value]) => {
  const request: unknown = structuredClone(
    smallRequest({
      '(Footage)/USER/photo.png': {
        source: { remote_url: 'https://example.com/a.png' },
        transform: { crop_strategy: 'cover' },
      },
    }),
  );
  const places: [Record<string, unknown>, string][] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const name of Object.keys(node)) {
      places.push([node as Record<string, unknown>, name]);
      walk((node as Record<string, unknown>)[name]);
    }
  };
  walk(request);
  const [node, name] = places[place % places.length]!;
  node[name] = value;
  return JSON.stringify(request);
});
const broken = fc
  .tuple(fc.constant(JSON.stringify(smallRequest())), fc.nat(400), fc.string({ maxLength: 3 }), fc.nat(5))
  .map(
    ([text, at, inserted, removed]) =>
      text.slice(0, at % text.length) + inserted + text.slice((at % text.length) + removed),
  );
const bodies = fc.oneof(
  { weight: 4, arbitrary: spoiled },
  broken,
  json.map((value) => JSON.stringify(value) ?? ''),
  fc.uint8Array({ maxLength: 60 }),
);

/** Prefers the first arbitrary nine times out of ten. */
function mostly(first: fc.Arbitrary<string>, ...others: string[]): fc.Arbitrary<string> {
  return fc.oneof({ weight: 9, arbitrary: first }, { weight: 1, arbitrary: fc.constantFrom(...others) });
}

const headerSets = fc.record(
  {
    'content-type': mostly(
      fc.constant('application/json'),
      'application/json; charset=utf-8',
      'text/plain',
      'application/zip',
    ),
    'idempotency-key': mostly(fc.uuid(), 'a', '"b"', '"', 'c'.repeat(300)),
    'if-none-match': fc.constantFrom('*', '"x"', ','),
    range: fc.constantFrom('bytes=0-', 'bytes=-1', 'x'),
  },
  { requiredKeys: [] },
);

const routes = fc.constantFrom(
  ['POST', '/v2/render_sessions'],
  ['POST', '/v2/render_sessions'],
  ['POST', '/v2/render_sessions?dry_run=true'],
  ['POST', '/v2/render_sessions/rs_1/cancel'],
  ['POST', '/v2/render_sessions/rs_1/render'],
  ['DELETE', '/v2/render_sessions/rs_1'],
  ['POST', '/v2/template_style_versions'],
  ['POST', '/v2/source_uploads'],
  ['PUT', '/v2/render_sessions/rs_1'],
);

describe('any body sent to any route', () => {
  it('gets an answer that is never an internal error, and every error is a problem document', async () => {
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(routes, bodies, headerSets, async ([method, path], body, extra) => {
        const headers = { 'content-type': 'application/json', ...extra, authorization: `Bearer ${TOKENS.acme}` };
        const answer = await fetch(service.url + path, { method: method!, headers, body: body as string });
        const text = await answer.text();
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        expect(answer.status, text).toBeLessThan(500);
        expect(answer.headers.get('x-request-id')).not.toBeNull();
        if (answer.status < 400) return;
        expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
        const problem = JSON.parse(text);
        expect(problem.status).toBe(answer.status);
        expect(problem.detail).not.toMatch(/\bat .+:\d+|node_modules|undefined|FST_/);
      }),
      { numRuns: count(50_000, 600) },
    );
    // The fuzzer must also reach beyond the schema checks.
    for (const status of [201, 400, 404, 415, 422]) expect(statuses.get(status), String(status)).toBeGreaterThan(0);
    expect((await service.api('GET', '/healthz')).status).toBe(200);
    tell(
      [...statuses]
        .sort()
        .map(([status, times]) => `${times} × ${status}`)
        .join(', '),
    );
  });

  it('is answered likewise for fuzzed paths and queries', async () => {
    const part = fc.string({ unit: 'binary', maxLength: 12 }).map((text) => encodeURIComponent(text.toWellFormed()));
    const path = fc
      .tuple(
        fc.constantFrom('/v2/render_sessions', '/v2/template_style_versions', '/outputs/a', '/downloads/a', ''),
        part,
        fc.constantFrom('', '/specs', '/cancel', '/stillcuts/'),
        fc.option(part),
        fc.constantFrom('cursor', 'limit', 'status', 'signature', 'x'),
      )
      .map(([base, id, end, query, name]) => `${base}/${id}${end}${query === null ? '' : `?${name}=${query}`}`);
    await fc.assert(
      fc.asyncProperty(path, async (target) => {
        const answer = await service.api('GET', target);
        expect(answer.status).toBeLessThan(500);
      }),
      { numRuns: count(5_000, 60) },
    );
  });
});
