import { describe, expect, it } from 'vitest';
import { redactConfig } from '../../../src/kernel/yaml/mask-text.ts';

describe('redactConfig()', () => {
  it.each([
    ['videos: a.yaml', 'videos: a.yaml'],
    ['credentials: {main: {kind: s3, secret: canary}}', 'credentials: {main: {kind: s3, secret: ******}}'],
    ['credentails: {main: canary}', 'credentails: {main: ******}'],
    ['service: {url: "https://me:canary@host/"}', 'service: {url: "https://*********@host/"}'],
    ['credentials: {main: "canary', undefined],
  ])('shows %j without possible secrets', (text, shown) => {
    expect(redactConfig('reelform.yaml', text)).toBe(shown);
  });
});
