import { describe, expect, it } from 'vitest';
import { shownConfig } from '../../src/project/shown-config.ts';

describe('shownConfig()', () => {
  it.each([
    ['videos: a.yaml', 'videos: a.yaml'],
    ['credentials: {main: {kind: s3, secret: canary}}', 'credentials: {main: {kind: s3, secret: ******}}'],
    ['credentails: {main: canary}', 'credentails: {main: ******}'],
    ['service: {url: "https://me:canary@host/"}', 'service: {url: "https://*********@host/"}'],
    ['credentials: {main: "canary', undefined],
  ])('shows %j without what may be a secret', (text, shown) => {
    expect(shownConfig('reelform.yaml', text)).toBe(shown);
  });
});
