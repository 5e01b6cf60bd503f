import { describe, expect, it } from 'vitest';
import { errorMessage } from '../../../src/service/server/log.ts';

describe('errorMessage()', () => {
  it.each([
    [new Error('no room'), 'no room'],
    ['a text', 'a text'],
    // Form in which pg-boss reports errors.
    [{ message: 'no such table', queue: 'render' }, 'no such table'],
    // Form in which Node reports a failure to connect to every address of a host.
    [
      new AggregateError([new Error('ECONNREFUSED ::1'), new Error('ECONNREFUSED 127.0.0.1')]),
      'ECONNREFUSED ::1; ECONNREFUSED 127.0.0.1',
    ],
    [Object.assign(new Error(''), { code: 'EPIPE' }), 'EPIPE'],
    [new TypeError(), 'TypeError'],
    [{ reason: { deep: 1 } }, '{ reason: { deep: 1 } }'],
    [undefined, 'undefined'],
    [null, 'null'],
  ])('turns %o into %j', (error, message) => {
    expect(errorMessage(error)).toBe(message);
  });
});
