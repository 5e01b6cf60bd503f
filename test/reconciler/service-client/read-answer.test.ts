import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/contract/service-error.ts';
import type { RenderSession } from '../../../src/contract/wire/render-session.ts';
import { ReelformError } from '../../../src/kernel/diagnostic.ts';
import { ENTRY_FIELDS } from '../../../src/reconciler/lock/lock.ts';
import {
  readCreated,
  readSessionAnswer,
  readStyleVersion,
  readStyleVersionState,
  readUpload,
  refusalOf,
} from '../../../src/reconciler/service-client/read-answer.ts';
import { runs } from '../../support/full-run.ts';

/** Answers that are nearly right: each field has a valid value or any JSON value. */
const field = (...good: fc.Arbitrary<unknown>[]) =>
  fc.oneof({ weight: 20, arbitrary: fc.oneof(...good) }, fc.jsonValue());
const url = fc.constantFrom('https://a.example/x.mp4', 'http://b', 'javascript:x', 'https://');
const session = fc.record(
  {
    id: field(fc.constantFrom('rs_1', 'a b')),
    status: field(fc.constantFrom('preview_rendered', 'odd')),
    render_progress: field(fc.integer({ min: -1, max: 101 })),
    video_url: field(url, fc.constant(null)),
    thumbnails: field(fc.array(url, { maxLength: 2 })),
    errors: field(fc.array(fc.jsonValue(), { maxLength: 2 })),
    updated_at: field(fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00', '2026-13-01')),
  },
  { requiredKeys: ['id', 'status'] },
);

/** Returns the value, or null when it was rejected with the expected error. */
function readOrRefused<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    expect(error).toBeInstanceOf(ReelformError);
    expect(error).toMatchObject({ code: 'service_answer_invalid' });
    return null;
  }
}

describe('readSessionAnswer()', () => {
  it('returns values that the lockfile accepts, or rejects the answer', () => {
    const holds = (name: string, value: unknown): void => expect(ENTRY_FIELDS.get(name)!.accepts(value)).toBe(true);
    let readCount = 0;
    fc.assert(
      fc.property(session, (render_session) => {
        const read = readOrRefused<RenderSession>(() =>
          readSessionAnswer('GET x', JSON.stringify({ render_session }), 0),
        );
        if (read === null) return;
        readCount += 1;
        holds('session', read.id);
        holds('thumbnails', read.thumbnails);
        holds('rendered_at', read.updated_at);
        if (read.video_url !== null) expect(new URL(read.video_url).protocol).toMatch(/^https?:$/);
        for (const { code, title } of read.errors) expect([typeof code, typeof title]).toEqual(['string', 'string']);
      }),
      {
        numRuns: runs(1000),
        examples: [[{ id: 'rs_1', status: 'preview_rendered', errors: [[{ toString: null }]] } as never]],
      },
    );
    expect(readCount).toBeGreaterThan(runs(1000) / 50);
  });
});

describe('external_uploads of a session', () => {
  const told = (external_uploads: unknown) => {
    const answer = { render_session: { id: 'rs_1', status: 'preview_rendered', external_uploads } };
    return readSessionAnswer('GET', JSON.stringify(answer), 0).external_uploads;
  };

  it.each([undefined, null, 'none', {}])('are undefined when the service sends %j', (value) => {
    expect(told(value)).toBeUndefined();
  });

  it('are read as far as possible, including statuses of other services', () => {
    const uploads = [
      { to: 's3://a/b', credential: 'main', status: 'complete', remote_id: '1', url: 'https://c/b', error: null },
      { to: 's3://a/c', status: 'upload_failed', error: { message: 'No https://x/?signature=secret' }, url: 'x' },
      { to: 's3://a/d', status: 'queued' },
      { to: 7, status: 'complete' },
      'x',
    ];
    expect(told(uploads)).toEqual([
      uploads[0],
      {
        to: 's3://a/c',
        status: 'failed',
        remote_id: null,
        url: null,
        error: {
          code: 'delivery_failed',
          title: expect.stringMatching(/^No https:\/\/x\/(?!.*secret)/),
          detail: expect.any(String),
        },
      },
      { to: 's3://a/d', status: 'uploading', remote_id: null, url: null, error: null },
    ]);
    expect(JSON.stringify(told(uploads))).not.toContain('secret');
  });
});

describe('the answer readers', () => {
  it('reject malformed answers and throw no other error', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        for (const read of [readSessionAnswer, readCreated, readStyleVersion, readStyleVersionState, readUpload]) {
          readOrRefused<unknown>(() => read('GET x', text, 0));
        }
      }),
    );
  });

  it('turn any refusal into an error', () => {
    const problem = fc.record({ code: fc.jsonValue(), detail: fc.jsonValue(), errors: fc.jsonValue() });
    const body = fc.oneof(
      fc.string(),
      fc.json(),
      problem.map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.constantFrom(307, 400, 401, 403, 404, 409, 422, 429, 500), body, (status, text) => {
        const error = refusalOf('GET x', { status, text, header: () => null });
        expect(error instanceof ServiceError || error instanceof ReelformError).toBe(true);
        expect(error.message).not.toBe('');
      }),
    );
  });
});
