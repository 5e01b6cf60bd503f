import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/kernel/digest.ts';
import { JOURNAL_HEADER, type JournalRecord, journalLine, parseJournal } from '../../../src/reconciler/lock/journal.ts';
import { intent, journalRecords } from './journal-arbitrary.ts';

const FILE = '.reelform/journal.ndjson';
const bytesOf = (records: readonly JournalRecord[]): Buffer =>
  Buffer.from(JOURNAL_HEADER + records.map(journalLine).join(''));
const one = bytesOf([{ type: 'intent', ...intent('k') }]);
const header = (json: string): string => `{"sum":"${sha256(json).slice(0, 16)}","record":${json}}\n`;
const UNREADABLE = expect.objectContaining({ code: 'journal_unreadable' });

describe('parseJournal()', () => {
  test('reads every journal that was written', () => {
    fc.assert(
      fc.property(journalRecords, (records) => {
        const bytes = bytesOf(records);
        expect(parseJournal(bytes, FILE)).toEqual({ records, wholeBytes: bytes.length });
      }),
    );
  });

  test('drops a last line torn at any byte', () => {
    const whole = bytesOf([{ type: 'keys', service: 'a', lifetime_ms: 1 }]);
    const bytes = Buffer.concat([whole, Buffer.from(journalLine({ type: 'intent', ...intent('k') }))]);
    for (let length = whole.length; length < bytes.length; length++) {
      const parsed = parseJournal(bytes.subarray(0, length), FILE);
      expect(parsed.wholeBytes).toBe(whole.length);
      expect(parsed.records).toHaveLength(1);
    }
  });

  test('drops zeros that some file systems append after a power failure', () => {
    expect(parseJournal(Buffer.concat([one, Buffer.alloc(512)]), FILE)).toMatchObject({ wholeBytes: one.length });
  });

  test('refuses a complete line with any byte changed', () => {
    for (let index = 0; index < one.length - 1; index++) {
      const damaged = Buffer.from(one);
      damaged[index]! ^= 0x01;
      expect(() => parseJournal(damaged, FILE), `byte ${index}`).toThrow(UNREADABLE);
    }
  });

  test.each([
    ['an empty file', ''],
    ['a torn header', JOURNAL_HEADER.slice(0, 20)],
    ['a file without a header', journalLine({ type: 'keys', service: 'a', lifetime_ms: 1 })],
    ['an empty line', `${JOURNAL_HEADER}\n`],
    ['a newer version', header('{"type":"journal","version":2}')],
    [
      'a delivery without a destination',
      JOURNAL_HEADER + header('{"type":"delivered","session":"s","deliveries":[{}]}'),
    ],
    ['conflict markers', `${JOURNAL_HEADER}<<<<<<< HEAD\n`],
  ])('refuses %s instead of treating it as an empty journal', (_, text) => {
    expect(() => parseJournal(Buffer.from(text), FILE)).toThrow(UNREADABLE);
  });
});
