import { expect, it } from 'vitest';
import { isSignedUrl } from '../../src/contract/urls.ts';

it.each([
  ['https://b.s3.amazonaws.com/a.mp4?X-Amz-Algorithm=AWS4&X-Amz-Expires=60&X-Amz-Signature=ab', true],
  ['https://storage.googleapis.com/b/a.mp4?X-Goog-Signature=ab', true],
  ['https://b.blob.core.windows.net/a.mp4?sv=2024&se=2026-01-01&sig=ab', true],
  ['https://d1.cloudfront.net/a.mp4?Expires=1&Signature=ab&Key-Pair-Id=K', true],
  ['https://cdn.example/a.mp4?token=ab', true],
  ['https://cdn.example/a.mp4', false],
  ['https://cdn.example/a.mp4?v=2&format=mp4', false],
  ['https://cdn.example/token=1/a.mp4#sig=1', false],
  ['renders/a.mp4?token=1', false],
])('isSignedUrl(%j) is %s', (url, expected) => {
  expect(isSignedUrl(url)).toBe(expected);
});
