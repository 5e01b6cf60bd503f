import { describe, expect, it } from 'vitest';
import { displayUrl } from '../../../src/report/wording/display-text.ts';

describe('displayUrl()', () => {
  it.each([
    ['https://cdn.example/v.mp4', 'https://cdn.example/v.mp4'],
    ['https://cdn.example/v.mp4?X-Amz-Signature=s&b=#c', 'https://cdn.example/v.mp4?…'],
    ['https://cdn.example/v.mp4#token=s?x', 'https://cdn.example/v.mp4#…'],
    ['https://user:s@cdn.example/a@b.mp4', 'https://…@cdn.example/a@b.mp4'],
    ['https://s@cdn.example?s', 'https://…@cdn.example?…'],
    ['renders/berlin-4f0c9a1e.mp4', 'renders/berlin-4f0c9a1e.mp4'],
    ['https://cdn.example/\u202e\x1b[31m', 'https://cdn.example/\\u202e\\u001b[31m'],
  ])('shows %j as %j', (url, shown) => {
    expect(displayUrl(url)).toBe(shown);
  });
});
