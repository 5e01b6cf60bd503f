import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safeFileName } from '../../src/kernel/safe-file-name.ts';

describe('safeFileName()', () => {
  test.each([
    ['Summer Collection — Berlin', 'Summer Collection — Berlin'],
    ['夏のコレクション', '夏のコレクション'],
    ['👩‍👩‍👧 Familie', '👩‍👩‍👧 Familie'],
    ['a/b\\c:d*e?f"g<h>i|j', 'a-b-c-d-e-f-g-h-i-j'],
    ['../../etc/passwd', '-..-etc-passwd'],
    ['line\r\nSet-Cookie: x', 'line Set-Cookie- x'],
    ['invoice\u202efdp.exe', 'invoice fdp.exe'],
    ['  . hidden. . ', 'hidden'],
    ['CON', '_CON'],
    ['com1.txt', '_com1.txt'],
    ['\0\u0001', 'video'],
    ['...', 'video'],
    ['', 'video'],
    ['\ud800', 'video'],
  ])('%j → %j', (title, name) => {
    expect(safeFileName(title)).toBe(name);
  });

  test('truncates between characters', () => {
    expect(safeFileName('👩‍👩‍👧'.repeat(30))).toBe('👩‍👩‍👧'.repeat(8));
  });

  test('returns a valid name for every title, and is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (title) => {
        const name = safeFileName(title);
        expect(name).not.toMatch(/[\p{Cc}/\\:*?"<>|]|^[. ]|[. ]$|^$/u);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(151);
        expect(safeFileName(name)).toBe(name);
      }),
    );
  });
});
