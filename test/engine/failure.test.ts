import { describe, expect, test } from 'vitest';
import { ReelformError } from '../../src/diagnostic.ts';
import { errorFrom, failureFrom, SceneError } from '../../src/engine/scene-error.ts';

/** Through the structured clone of threads and processes, and back. */
function sent(error: unknown): Error {
  return errorFrom(structuredClone(failureFrom(error)));
}

describe('errorFrom(failureFrom())', () => {
  test('keeps the code and image of a SceneError', () => {
    const error = sent(new SceneError('asset_too_large', 'hero.jpg: too large', { imageName: 'hero.jpg' }));
    expect(error).toBeInstanceOf(SceneError);
    expect(error).toMatchObject({ code: 'asset_too_large', message: 'hero.jpg: too large', imageName: 'hero.jpg' });
  });

  test('keeps the code and hint of a ReelformError', () => {
    const error = sent(new ReelformError('encoder_missing', 'not there', { hint: 'install it' }));
    expect(error).toBeInstanceOf(ReelformError);
    expect(error).toMatchObject({ code: 'encoder_missing', message: 'not there', hint: 'install it' });
  });

  test('keeps the message and the code of anything else', () => {
    expect(sent(new TypeError('a mistake'))).toMatchObject({ message: 'a mistake' });
    expect(sent(Object.assign(new Error('no space'), { code: 'ENOSPC' }))).toMatchObject({ code: 'ENOSPC' });
    expect(sent('a word')).toMatchObject({ message: 'a word' });
  });
});
