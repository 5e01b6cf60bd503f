import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signDownload, verifyDownload } from '../../../../src/service/server/storage/stored-outputs.ts';

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index);
const DOWNLOAD = { sessionId: 'k3Vb9Qz71xTn0LwY', expiresAt: 1_800_000_000_000 };
const SIGNATURE = signDownload(KEY, DOWNLOAD);

describe('verifyDownload()', () => {
  test('accepts the signature from signDownload()', () => {
    expect(SIGNATURE).toMatch(/^[\w-]{43}$/);
    expect(verifyDownload(KEY, DOWNLOAD, SIGNATURE)).toBe(true);
  });

  test.each([
    ['another output', { ...DOWNLOAD, sessionId: 'other' }],
    ['a later time', { ...DOWNLOAD, expiresAt: DOWNLOAD.expiresAt + 1 }],
    ['no time', { ...DOWNLOAD, expiresAt: Number.NaN }],
    ['an endless time', { ...DOWNLOAD, expiresAt: Number.POSITIVE_INFINITY }],
  ])('rejects %s', (_title, download) => {
    expect(verifyDownload(KEY, download, SIGNATURE)).toBe(false);
  });

  test('rejects a signature by another key', () => {
    expect(
      verifyDownload(
        KEY,
        DOWNLOAD,
        signDownload(
          KEY.map((byte) => byte + 1),
          DOWNLOAD,
        ),
      ),
    ).toBe(false);
  });

  test('rejects any other text, even one that decodes to the same bytes', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(SIGNATURE.at(-1)!);
    expect(verifyDownload(KEY, DOWNLOAD, SIGNATURE.slice(0, -1) + alphabet[last ^ 1])).toBe(false);
    expect(verifyDownload(KEY, DOWNLOAD, `${SIGNATURE}=`)).toBe(false);
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(verifyDownload(KEY, DOWNLOAD, text)).toBe(false);
      }),
    );
  });
});
