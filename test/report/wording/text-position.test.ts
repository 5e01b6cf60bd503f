import { describe, expect, it } from 'vitest';
import { textPosition } from '../../../src/report/wording/text-position.ts';

describe('textPosition()', () => {
  it.each([
    ['', 0, 1, 1],
    ['', 9, 1, 1],
    ['ab\ncd', 0, 1, 1],
    ['ab\ncd', 2, 1, 3],
    ['ab\ncd', 3, 2, 1],
    ['ab\ncd', 5, 2, 3],
    ['ab\r\ncd', 5, 2, 2],
    ['\n\n\n', 2, 3, 1],
    ['\n\n\n', 3, 4, 1],
    ['👍x', 2, 1, 3],
  ])('finds in %j the offset %d on line %d, column %d', (text, offset, line, column) => {
    expect(textPosition(text, offset)).toEqual({ line, column });
  });
});
