import { describe, expect, it } from 'vitest';
import { readIdempotencyKey } from '../../../../src/service/server/http/request-context.ts';

describe('readIdempotencyKey()', () => {
  it.each([
    ['8e03978e-40d5', '8e03978e-40d5'],
    ['"8e03978e-40d5"', '8e03978e-40d5'],
    ['"a\\"b\\\\c"', 'a"b\\c'],
    ['!~', '!~'],
    ['a"b', 'a"b'],
    ['x'.repeat(255), 'x'.repeat(255)],
  ])('reads %s', (header, key) => {
    expect(readIdempotencyKey(header)).toBe(key);
  });

  it('returns null without a key', () => {
    expect(readIdempotencyKey(undefined)).toBeNull();
  });

  it.each(['', '""', '"a', '"a"b"', '"a b"', 'a b', 'a, b', '"a", "b"', 'é', '"\\a"', 'x'.repeat(256)])(
    'rejects %j',
    (header) => {
      expect(() => readIdempotencyKey(header)).toThrow(expect.objectContaining({ status: 400 }));
    },
  );
});
