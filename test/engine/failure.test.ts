import { describe, expect, test } from 'vitest';
import { errorFrom, failureFrom, RenderError } from '../../src/engine/render-error.ts';
import { ReelformError } from '../../src/kernel/diagnostic.ts';

/** Passes an error through the structured clone used between threads and processes. */
function sent(error: unknown): Error {
  return errorFrom(structuredClone(failureFrom(error)));
}

describe('errorFrom(failureFrom())', () => {
  test('preserves the code and image of a RenderError', () => {
    const error = sent(new RenderError('asset_too_large', 'hero.jpg: too large', { imageName: 'hero.jpg' }));
    expect(error).toBeInstanceOf(RenderError);
    expect(error).toMatchObject({ code: 'asset_too_large', message: 'hero.jpg: too large', imageName: 'hero.jpg' });
  });

  test('preserves the code and hint of a ReelformError', () => {
    const error = sent(new ReelformError('encoder_missing', 'not there', { hint: 'install it' }));
    expect(error).toBeInstanceOf(ReelformError);
    expect(error).toMatchObject({ code: 'encoder_missing', message: 'not there', hint: 'install it' });
  });

  test('preserves the message and code of any other error', () => {
    expect(sent(new TypeError('a mistake'))).toMatchObject({ message: 'a mistake' });
    expect(sent(Object.assign(new Error('no space'), { code: 'ENOSPC' }))).toMatchObject({ code: 'ENOSPC' });
    expect(sent('a word')).toMatchObject({ message: 'a word' });
  });
});
