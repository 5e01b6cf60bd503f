import { describe, expect, it } from 'vitest';
import { errorMessage } from '../../../src/server/telemetry/log.ts';

describe('errorMessage()', () => {
  it.each([
    [new Error('no room'), 'no room'],
    ['a text', 'a text'],
    // As pg-boss reports errors.
    [{ message: 'no such table', queue: 'render' }, 'no such table'],
    // As Node reports a connection that no address of a host took.
    [
      new AggregateError([new Error('ECONNREFUSED ::1'), new Error('ECONNREFUSED 127.0.0.1')]),
      'ECONNREFUSED ::1; ECONNREFUSED 127.0.0.1',
    ],
    [Object.assign(new Error(''), { code: 'EPIPE' }), 'EPIPE'],
    [new TypeError(), 'TypeError'],
    [{ reason: { deep: 1 } }, '{ reason: { deep: 1 } }'],
    [undefined, 'undefined'],
    [null, 'null'],
  ])('of %o is %j', (error, message) => {
    expect(errorMessage(error)).toBe(message);
  });
});
