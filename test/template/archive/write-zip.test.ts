import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/kernel/digest.ts';
import { readPackageZip } from '../../../src/template/archive/read-package-zip.ts';
import { writePackageZip } from '../../../src/template/archive/write-zip.ts';

const path = fc
  .array(fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme-ascii' }), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.map((part) => `p${part.replaceAll(/[/\\:]/g, '_')}`.toLowerCase()).join('/'));

describe('writePackageZip()', () => {
  it('writes zips that readPackageZip() and other programs read', () => {
    fc.assert(
      fc.property(fc.dictionary(path, fc.uint8Array({ maxLength: 200 }), { minKeys: 1, maxKeys: 8 }), (record) => {
        // A file at the root keeps an enclosing directory from being stripped, and no file may also be a directory.
        const paths = Object.keys(record).filter(
          (path) => !Object.keys(record).some((candidate) => candidate.startsWith(`${path}/`)),
        );
        const files = new Map([
          ['template.yaml', new Uint8Array()],
          ...paths.map((path) => [path, record[path]!] as const),
        ]);
        const zip = writePackageZip(files);
        const read = readPackageZip(zip);
        const plain = (map: Iterable<readonly [string, Uint8Array]>) =>
          [...map].map(([name, bytes]) => `${name} ${sha256(bytes)}`).sort();
        expect(read.ok && plain(read.value)).toEqual(plain(files));
        expect(plain(Object.entries(unzipSync(zip)))).toEqual(plain(files));
      }),
    );
  });

  it('returns the same bytes for the same files in any order and at any time', () => {
    const files = [
      ['template.yaml', Buffer.from('name: a')],
      ['images/\u00fc.png', Buffer.alloc(5000, 'a')],
      ['1', Buffer.alloc(0)],
    ] as const;
    const digests = [files, files.toReversed()].map((some) => sha256(writePackageZip(new Map(some))));
    // A recorded digest shows that the bytes contain no current time.
    expect(digests).toEqual([KNOWN, KNOWN]);
  });
});

const KNOWN = 'bfa6fe6489e8d6dc31f0096589d706df22ae4fb3544bd8a9457254e8b7613bf4';
