import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/contract/service-error.ts';
import { ReelformError } from '../../../src/kernel/diagnostic.ts';
import type { Exchange } from '../../../src/reconciler/service-client/exchange.ts';
import { postOutcome } from '../../../src/reconciler/service-client/post-outcome.ts';
import { retryDelayMs } from '../../../src/reconciler/service-client/retry.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const DOCS = readFileSync(join(import.meta.dirname, '../../../docs/reference/files.md'), 'utf8');
const error = new ReelformError('service_unreachable', 'cut off');
const large = new ReelformError('service_answer_invalid', 'too large');
const SESSION = '{"render_session":{"id":"rs_1","status":"preview_rendering"}}';
const THERE = 'https://elsewhere.example/base/v2/render_sessions/rs_1';

function head(status: number, location?: string) {
  return { status, header: (name: string) => (name === 'location' ? (location ?? null) : null) };
}
function answer(status: number, text = '', location?: string): Exchange {
  return { kind: 'answer', answer: { ...head(status, location), text } };
}
const broken = (status: number, location?: string, why = error): Exchange => ({
  kind: 'broken',
  head: head(status, location),
  error: why,
});

/** The rows of "When a request is repeated", each with exchanges that it covers. */
const ROWS: readonly (readonly [row: string, outcome: string, exchanges: readonly Exchange[]])[] = [
  ['no connection', 'not made', [{ kind: 'unsent', error }]],
  ['no answer, or not in time', 'unknown', [{ kind: 'unanswered', error }]],
  [
    '2xx with a session',
    'made',
    [
      answer(201, SESSION),
      answer(200, SESSION),
      answer(202, SESSION),
      // Only the id has to be valid.
      answer(201, '{"render_session":{"id":"rs_1","video_url":"javascript:x"}}'),
    ],
  ],
  [
    '2xx that breaks off, is too large or cannot be read, with a `Location` of a session',
    'made',
    [broken(201, THERE), broken(201, '/v2/render_sessions/rs_1'), broken(201, THERE, large), answer(201, '{', THERE)],
  ],
  [
    '2xx that breaks off, is too large or cannot be read',
    'unknown',
    [
      broken(201),
      broken(201, undefined, large),
      broken(200, 'https://x/elsewhere'),
      answer(201, '<html>'),
      answer(201, '{"render_session":{"id":7}}'),
      answer(204),
      answer(201, '', '/v2/render_sessions/'),
      answer(201, '', '/v2/render_sessions/%0a'),
      answer(201, '', '/v2/render_sessions/%zz'),
    ],
  ],
  [
    '3xx with a `Location` of a session',
    'made',
    [...[300, 301, 302, 303, 307, 308].map((status) => answer(status, '', THERE)), broken(303, THERE)],
  ],
  ['303', 'unknown', [answer(303, '', '/login'), answer(303)]],
  ['3xx', 'not made', [answer(301, '', '/v3/render_sessions'), answer(302), answer(307), answer(308), broken(307)]],
  [
    '409 without a code, or with the code `idempotency_in_progress`',
    'unknown',
    [answer(409), answer(409, '<html>'), answer(409, '{"code":"idempotency_in_progress"}'), broken(409)],
  ],
  [
    '408, 425 or 499',
    'unknown',
    [...[408, 425, 499].map((status) => answer(status)), answer(408, '{"code":"request_timeout"}')],
  ],
  [
    '429 or 503 with the code `queue_full` or `service_full`',
    'not made',
    [answer(429, '{"code":"queue_full"}'), answer(503, '{"code":"service_full"}')],
  ],
  ['429', 'not made', [answer(429)]],
  [
    '4xx',
    'not made',
    [
      ...[400, 401, 403, 404, 413, 415, 422].map((status) => answer(status)),
      answer(409, '{"code":"wrong_state"}'),
      broken(422),
    ],
  ],
  ['5xx', 'unknown', [...[500, 501, 502, 503, 504, 599].map((status) => answer(status)), answer(500, SESSION, THERE)]],
];

const TOLD = { created: 'made', not_created: 'not made', unknown: 'unknown' } as const;

describe('postOutcome()', () => {
  it.each(ROWS)('classifies %s as: %s', (_, outcome, exchanges) => {
    for (const exchange of exchanges) {
      const read = postOutcome('POST x', exchange, NOW);
      expect(TOLD[read.kind]).toBe(outcome);
      if (read.kind === 'created') expect(read.session).toMatchObject({ id: 'rs_1', status: 'preview_rendering' });
    }
  });

  it.each(ROWS)('matches the reference: %s', (row, outcome, exchanges) => {
    const line = DOCS.split('\n').find((one) => one.startsWith(`| ${row} |`));
    expect(line).toMatch(new RegExp(`^\\| [^|]+ \\| ${outcome} \\| [^|]+ \\|$`));
    for (const exchange of exchanges) {
      const read = postOutcome('POST x', exchange, NOW);
      const code = read.kind !== 'created' && read.error instanceof ServiceError ? read.error.code : null;
      const times = { retries: 0, nowMs: NOW, jitter: 0 };
      const isRepeated = read.kind !== 'created' && retryDelayMs(exchange, 'once', times, code) !== null;
      expect(line!.includes('repeated')).toBe(isRepeated);
    }
  });

  it('covers every row of the reference', () => {
    const section = /## When a request is repeated\n([\s\S]*?)(?:\n#|$)/.exec(DOCS)![1]!;
    const rows = [...section.matchAll(/^\| (?!answer|---)([^|]+) \|/gm)].map((match) => match[1]);
    expect(rows).toEqual(ROWS.map(([row]) => row));
  });
});
