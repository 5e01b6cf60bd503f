import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCursor, writeCursor } from '../../../../src/service/server/store/page-cursor.ts';

describe('readCursor()', () => {
  it('round-trips the output of writeCursor()', () => {
    const createdAt = fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
    fc.assert(
      fc.property(createdAt, fc.string(), (createdAt, id) => {
        const text = writeCursor({ createdAt, id });
        expect(text).toMatch(/^[\w-]+$/);
        expect(readCursor(text)).toEqual({ createdAt, id });
      }),
    );
  });

  it('rejects any other text with a 400', () => {
    const encoded = ['["2026",""]', '["2026-01-01T00:00:00.000Z",1]', '["2026-01-01T00:00:00.000Z"]', '{}', 'null'].map(
      (text) => Buffer.from(text).toString('base64url'),
    );
    for (const text of ['', 'x', '%', ...encoded]) {
      expect(() => readCursor(text)).toThrow(expect.objectContaining({ status: 400, code: 'bad_request' }));
    }
  });
});
