import { describe, expect, it } from 'vitest';
import { OUTPUT_FILE_TYPES } from '../../../src/contract/wire/output.ts';
import { isOutputPath, OUTPUT_ENDINGS, outputNameOf } from '../../../src/reconciler/lock/lock.ts';

describe('isOutputPath()', () => {
  it.each(Object.values(OUTPUT_FILE_TYPES))(
    'accepts .$extension files below renders/ and returns their names',
    ({ extension }) => {
      expect(isOutputPath(`renders/folder/berlin-1a.${extension}`)).toBe(true);
      expect(outputNameOf(`renders/folder/berlin-1a.${extension}`)).toBe('folder/berlin-1a');
    },
  );

  it.each([
    'renders/a.avi',
    'renders/a',
    'a.gif',
    'renders/../a.gif',
    'renders/a.gif/..',
    'renders/.png',
    'renders/a.gif ',
  ])('refuses %s', (path) => {
    expect(isOutputPath(path)).toBe(false);
  });

  it('has the file extensions of all formats and no others', () => {
    expect([...OUTPUT_ENDINGS]).toEqual(Object.values(OUTPUT_FILE_TYPES).map(({ extension }) => extension));
  });
});
