import { truncateSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteView, viewed } from '../../src/kernel/byte-view.ts';
import { sourceFile } from '../support/source-file.ts';

const SIZE = 300_000;
const CONTENT = Buffer.from(Uint8Array.from({ length: SIZE }, (_, at) => (at * 7919 + (at >> 8)) % 251));

/** A read of a view or buffer, as text; the kind of its error otherwise. */
function resultOf(read: () => unknown): string {
  try {
    return String(read());
  } catch (error) {
    return (error as Error).name;
  }
}

const METHODS = [
  'readUInt8',
  'readUInt16BE',
  'readUInt16LE',
  'readUInt32BE',
  'readUInt32LE',
  'readBigUInt64BE',
  'readBigUInt64LE',
  'readBigInt64BE',
] as const;

describe('ByteView', () => {
  it('reads a file as a buffer is read', () => {
    const file = sourceFile(CONTENT);
    const position = fc.oneof(fc.nat(SIZE + 10), fc.nat(9_000), fc.integer({ min: SIZE - 20, max: SIZE + 20 }));
    const read = fc.record({ at: position, to: position, method: fc.constantFrom(...METHODS) });
    fc.assert(
      fc.property(fc.array(read, { maxLength: 40 }), position, (reads, start) => {
        viewed(file, (view) => {
          const [ranges, buffers] = [
            [view, view.subarray(start)],
            [CONTENT, CONTENT.subarray(start)],
          ] as const;
          for (const [index, range] of ranges.entries()) {
            const buffer = buffers[index]!;
            expect(range.length).toBe(buffer.length);
            for (const { at, to, method } of reads) {
              expect(resultOf(() => range[method](at))).toBe(resultOf(() => buffer[method](at)));
              expect(range.at(at)).toBe(buffer[at]);
              expect(range.bytes(at, to).equals(buffer.subarray(at, to))).toBe(true);
              expect(range.toString('hex', at, at + 9)).toBe(buffer.toString('hex', at, at + 9));
              const { bytes, offset } = range.around(Math.min(at, buffer.length), Math.min(at, buffer.length));
              expect(bytes.length).toBeGreaterThanOrEqual(0);
              expect(offset).toBeLessThanOrEqual(Math.min(at, buffer.length));
            }
          }
        });
      }),
    );
  });

  it('keeps bytes that were read before', () => {
    viewed(sourceFile(CONTENT), (view) => {
      const { bytes, offset } = view.around(10, 20);
      const [first, small] = [bytes.subarray(10 - offset, 20 - offset), view.bytes(30, 40)];
      for (let at = 0; at < SIZE; at += 1_000) view.at(at);
      expect(first.equals(CONTENT.subarray(10, 20)) && small.equals(CONTENT.subarray(30, 40))).toBe(true);
    });
  });

  it('finds a text across the borders of its reads', () => {
    const content = Buffer.from(CONTENT);
    content.write('moov', 65_534, 'latin1');
    viewed(sourceFile(content), (view) => expect(view.includes('moov')).toBe(true));
    viewed(sourceFile(CONTENT), (view) => expect(view.includes('moov')).toBe(false));
  });

  it.each(['in memory', 'on disk'])('patches a source %s', (place) => {
    const bytes = Buffer.from('0123456789');
    const view = ByteView.open(place === 'in memory' ? bytes : sourceFile(bytes), [
      { at: 2, bytes: Buffer.from('ab') },
      { at: 9, bytes: Buffer.from('c') },
    ]);
    expect([view.toString('latin1'), view.subarray(3, 5).toString('latin1')]).toEqual(['01ab45678c', 'b4']);
    expect(bytes.toString()).toBe('0123456789');
    view.close();
  });

  it('rejects a file that became shorter, and reads after its end', () => {
    const file = sourceFile(CONTENT);
    const view = ByteView.open(file);
    truncateSync(file.path, 1_000);
    expect(() => view.bytes(100_000, 100_010)).toThrow('The file was changed while it was read');
    view.close();
    view.close();
    expect(() => view.bytes(0, 10)).toThrow('Internal error');
  });
});
