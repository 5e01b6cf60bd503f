import { ReelformError } from '../diagnostic.ts';
import { sha256 } from '../digest.ts';
import { isRecord } from '../json.ts';
import type { JournalRecord } from './journal.ts';

/** Major version of the journal format. Raised only when the meaning of lines changes, not for new types. */
export const JOURNAL_VERSION = 1;

/** Hexadecimal digits of a line's SHA-256. Detects damage; not a protection against attacks. */
const SUM_LENGTH = 16;

const LINE = new RegExp(`^\\{"sum":"([0-9a-f]{${SUM_LENGTH}})","record":(.*)\\}$`);

/** Content of a journal file. */
export interface ParsedJournal {
  /** In file order, with those of types that a later minor version added. */
  readonly records: readonly JournalRecord[];
  /**
   * Size of the whole lines in bytes. The rest was being written when the machine stopped, and nothing relies on it.
   */
  readonly wholeBytes: number;
}

/** Returns the line of a record, with its newline. */
export function journalLine(record: JournalRecord): string {
  return line(JSON.stringify(record));
}

/** First line of every journal. */
export const JOURNAL_HEADER: string = line(JSON.stringify({ type: 'journal', version: JOURNAL_VERSION }));

/** Returns the text of a whole journal. */
export function journalText(records: readonly JournalRecord[]): string {
  return JOURNAL_HEADER + records.map(journalLine).join('');
}

function line(json: string): string {
  return `{"sum":"${sha256(json).slice(0, SUM_LENGTH)}","record":${json}}\n`;
}

/**
 * Parses a journal. Ignores a torn last line. Refuses other damage and newer versions instead of returning an empty
 * journal, because renders that are running would be paid for again.
 *
 * @param file its name for errors
 * @throws ReelformError `journal_unreadable`
 */
export function parseJournal(bytes: Uint8Array, file: string): ParsedJournal {
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
  const lines = new TextDecoder().decode(bytes.subarray(0, wholeBytes)).split('\n').slice(0, -1);
  const records: JournalRecord[] = [];
  for (const [index, text] of lines.entries()) {
    const record = readLine(text);
    if (record === null) throw unreadableJournal(`line ${index + 1} is damaged`, file);
    if (index > 0) {
      if (record.type === 'delivered' && !isDelivered(record))
        throw unreadableJournal(`line ${index + 1} has no valid delivery`, file);
      records.push(record as unknown as JournalRecord);
      continue;
    }
    const { type, version } = record;
    if (type !== 'journal' || typeof version !== 'number') throw unreadableJournal(NO_HEADER, file);
    if (version > JOURNAL_VERSION) {
      const why = `it has version ${version}, but this version of reelform reads ${JOURNAL_VERSION}`;
      throw unreadableJournal(why, file, 'Install a newer version of reelform');
    }
  }
  // The first line is written together with the file.
  if (lines.length === 0) throw unreadableJournal(NO_HEADER, file);
  return { records, wholeBytes };
}

const NO_HEADER = 'it does not start with a journal header';

const MOVE_AWAY =
  'Check the service for sessions that are not in the lockfile and record them with `reelform import ID --session S`, then move the journal away';

/** Returns the error for a journal whose content is uncertain. */
export function unreadableJournal(why: string, file: string, hint = MOVE_AWAY): ReelformError {
  return new ReelformError('journal_unreadable', `The journal ${file} cannot be read: ${why}`, { hint });
}

/** Validated, because destinations are compared and written to the lockfile. */
function isDelivered({ session, deliveries }: Record<string, unknown>): boolean {
  if (typeof session !== 'string' || !Array.isArray(deliveries)) return false;
  return deliveries.every((one: unknown) => {
    return isRecord(one) && typeof one.to === 'string' && (one.url === undefined || typeof one.url === 'string');
  });
}

/** Parses a line; null when its digest does not match. */
function readLine(text: string): Record<string, unknown> | null {
  const [, sum, json = ''] = LINE.exec(text) ?? [];
  if (sum === undefined || sha256(json).slice(0, SUM_LENGTH) !== sum) return null;
  try {
    const record: unknown = JSON.parse(json);
    return isRecord(record) ? record : null;
  } catch {
    return null;
  }
}
