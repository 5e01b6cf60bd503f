import type { Sha256 } from '../../../kernel/digest.ts';
import { isRecord } from '../../../kernel/json.ts';
import { SourceFile } from '../../../kernel/source-file.ts';
import { TemporaryFile } from '../../../kernel/temporary-file.ts';

/** Limits of a message that a reader accepts. */
export interface MessageLimits {
  /** Size of its JSON text. */
  readonly textBytes: number;
  /** Total size of its byte arrays. */
  readonly attachedBytes: number;
  /** Number of its files. */
  readonly files: number;
  /** Size of each file. */
  readonly fileBytes: number;
}

/** A message that its sender did not form with `encodeMessage`, or that exceeds a limit. */
export class MalformedMessage extends Error {}

const TASK_AT = 0;
const TEXT_LENGTH_AT = 4;
const COUNT_AT = 8;
const HEADER_BYTES = 12;
const LENGTH_BYTES = 6;
/** Key of an object that replaces a value that JSON cannot represent. */
const TAG = '$';
/** Maximum attachments: packets of about three hours of sound. */
const MAX_ATTACHMENTS = 500_000;
/** Maximum nesting of a message. A bound input nests eight levels. */
const MAX_DEPTH = 64;
/** Buffers up to this size share memory. */
const SMALL_BYTES = 4_096;

/** Hands files over to the receiver of a message. */
export interface FileSender {
  /** Returns the name under which the receiver takes a file. */
  nameOf(file: TemporaryFile): string;
  /** Returns the path at which the receiver reads a source. */
  pathOf(source: SourceFile): string;
}

function refuseFile(): never {
  throw new TypeError('Internal error: a message contains a file');
}

/**
 * Encodes a message about a task: plain values, maps, byte arrays, temporary files, of which it contains the names, and sources, of
 * which it contains the paths. Receivers can read it without trusting the sender, unlike V8's format.
 *
 * Format: number of the task, length of the JSON text and number of attachments (4 bytes each), length of each attachment
 * (6 bytes each), the attachments, the text. Numbers are unsigned and big-endian.
 *
 * @returns chunks to write in order; byte arrays of the message are not copied, and sent once if they occur several times
 * @throws TypeError for a value of another class
 */
export function encodeMessage(
  task: number,
  message: unknown,
  { nameOf, pathOf }: Partial<FileSender> = {},
): Uint8Array[] {
  const attachments: Uint8Array[] = [];
  /** Index of each attachment: scenes of one template have the same files. */
  const indices = new Map<Uint8Array, number>();
  const attach = (bytes: Uint8Array): number => {
    const index = indices.get(bytes) ?? attachments.push(bytes) - 1;
    indices.set(bytes, index);
    return index;
  };
  const plain = (value: unknown): unknown => {
    if (typeof value === 'number') return Number.isFinite(value) ? value : { [TAG]: 'number', text: String(value) };
    if (typeof value === 'function' || typeof value === 'symbol') {
      throw new TypeError(`Internal error: a message contains a ${typeof value}`);
    }
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Uint8Array) return { [TAG]: 'bytes', at: attach(value) };
    if (Array.isArray(value)) return value.map(plain);
    if (value instanceof TemporaryFile) return { [TAG]: 'file', name: (nameOf ?? refuseFile)(value) };
    if (value instanceof SourceFile) {
      const { length, sha256, head } = value;
      return { [TAG]: 'source', path: (pathOf ?? refuseFile)(value), length, sha256, head: plain(head) };
    }
    if (value instanceof Map) return { [TAG]: 'map', entries: [...value].map(plain) };
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      throw new TypeError(`Internal error: a message contains a ${value.constructor.name}`);
    }
    const entries = Object.entries(value).map(([key, child]): [string, unknown] => [key, plain(child)]);
    return Object.hasOwn(value, TAG) ? { [TAG]: 'record', entries } : Object.fromEntries(entries);
  };
  const text = Buffer.from(JSON.stringify(plain(message)));
  const head = Buffer.alloc(HEADER_BYTES + attachments.length * LENGTH_BYTES);
  head.writeUInt32BE(task, TASK_AT);
  head.writeUInt32BE(text.length, TEXT_LENGTH_AT);
  head.writeUInt32BE(attachments.length, COUNT_AT);
  attachments.forEach(({ length }, index) => {
    head.writeUIntBE(length, HEADER_BYTES + index * LENGTH_BYTES, LENGTH_BYTES);
  });
  return [head, ...attachments, text];
}

interface MessageReaderOptions {
  /** Returns the limits of a message about a task; null if no message about it is expected. */
  limitsOf(task: number): MessageLimits | null;
  /** @param bytes size of its text and byte arrays */
  onMessage(task: number, message: unknown, bytes: number): void;
  /** Takes over a file of the sender. @param name without a path */
  takeFile(name: string): TemporaryFile;
  /** The sender is trusted to name the paths of sources. */
  readonly acceptsSources?: true;
}

const FILE_NAME = /^[\w-]{1,64}$/;

/** Reads the messages of a stream. Allocates no more memory than a message has bytes, whatever lengths it declares. */
export class MessageReader {
  readonly #options: MessageReaderOptions;
  readonly #parts: Generator<Buffer, never, void>;
  /** The part that is being received. */
  #part: Buffer;
  #length = 0;

  constructor(options: MessageReaderOptions) {
    this.#options = options;
    this.#parts = this.#read();
    this.#part = this.#parts.next().value;
  }

  /** @throws MalformedMessage; the stream must not be read any further */
  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const taken = chunk.subarray(at, at + this.#part.length - this.#length);
      this.#part.set(taken, this.#length);
      this.#length += taken.length;
      at += taken.length;
      while (this.#length === this.#part.length) {
        this.#part = this.#parts.next().value;
        this.#length = 0;
      }
    }
  }

  /** Yields each part of a message to fill it. */
  *#read(): Generator<Buffer, never, void> {
    for (;;) {
      const header = Buffer.alloc(HEADER_BYTES);
      yield header;
      const [task, textLength, count] = [TASK_AT, TEXT_LENGTH_AT, COUNT_AT].map((at) => header.readUInt32BE(at));
      const limits = this.#options.limitsOf(task!);
      if (limits === null) throw new MalformedMessage('it concerns a task that is not running');
      if (textLength! > limits.textBytes) throw new MalformedMessage(`it has a text of ${textLength} bytes`);
      if (count! > MAX_ATTACHMENTS) throw new MalformedMessage(`it has ${count} attachments`);
      const table = Buffer.allocUnsafeSlow(count! * LENGTH_BYTES);
      yield table;
      const lengths = Array.from({ length: count! }, (_, index) =>
        table.readUIntBE(index * LENGTH_BYTES, LENGTH_BYTES),
      );
      const attachedBytes = lengths.reduce((sum, length) => sum + length, 0);
      if (attachedBytes > limits.attachedBytes) throw new MalformedMessage(`it has ${attachedBytes} bytes`);
      const attachments: Buffer[] = [];
      for (const length of lengths) {
        // The system provides the pages of a large buffer when they are written.
        const attachment = length < SMALL_BYTES ? Buffer.allocUnsafe(length) : Buffer.allocUnsafeSlow(length);
        yield attachment;
        attachments.push(attachment);
      }
      const text = Buffer.allocUnsafeSlow(textLength!);
      yield text;
      this.#options.onMessage(task!, this.#decode(text, attachments, limits), text.length + attachedBytes);
    }
  }

  #decode(text: Buffer, attachments: readonly Buffer[], limits: MessageLimits): unknown {
    const used = new Set<Buffer>();
    let files = 0;
    const restore = (value: unknown, depth: number): unknown => {
      if (depth > MAX_DEPTH) throw new MalformedMessage('it is nested too deeply');
      if (Array.isArray(value)) return value.map((item) => restore(item, depth + 1));
      if (!isRecord(value)) return value;
      const tag = Object.hasOwn(value, TAG) ? value[TAG] : undefined;
      if (tag === undefined) return recordOf(Object.entries(value), depth);
      if (tag === 'number') return Number(value.text);
      if (tag === 'map' && isEntries(value.entries)) {
        return new Map(value.entries.map(([key, child]) => [key, restore(child, depth + 1)]));
      }
      if (tag === 'record' && isEntries(value.entries)) return recordOf(value.entries, depth);
      if (tag === 'file') {
        files += 1;
        if (files > limits.files) throw new MalformedMessage(`it has more than ${limits.files} files`);
        return this.#take(value.name, limits);
      }
      if (tag === 'source' && this.#options.acceptsSources === true) {
        const { path, length, sha256 } = value as { path: string; length: number; sha256: Sha256 };
        return new SourceFile({ path, length, sha256, head: restore(value.head, depth + 1) as Uint8Array });
      }
      const attachment = tag === 'bytes' && typeof value.at === 'number' ? attachments[value.at] : undefined;
      if (attachment === undefined) throw new MalformedMessage('its text is invalid');
      used.add(attachment);
      return attachment;
    };
    const recordOf = (entries: readonly (readonly [string, unknown])[], depth: number): object =>
      Object.fromEntries(entries.map(([key, child]) => [key, restore(child, depth + 1)]));
    let parsed: unknown;
    try {
      parsed = JSON.parse(text.toString());
    } catch {
      throw new MalformedMessage('its text is not JSON');
    }
    const message = restore(parsed, 0);
    if (used.size !== attachments.length) throw new MalformedMessage('it has unused attachments');
    return message;
  }

  #take(name: unknown, { fileBytes }: MessageLimits): TemporaryFile {
    if (typeof name !== 'string' || !FILE_NAME.test(name)) throw new MalformedMessage('it names an invalid file');
    let file: TemporaryFile;
    try {
      file = this.#options.takeFile(name);
    } catch (error) {
      throw new MalformedMessage(`its file cannot be read: ${(error as Error).message}`);
    }
    if (file.size <= fileBytes) return file;
    file.close();
    throw new MalformedMessage(`it has a file of ${file.size} bytes`);
  }
}

function isEntries(value: unknown): value is [string, unknown][] {
  return (
    Array.isArray(value) &&
    value.every((entry) => Array.isArray(entry) && entry.length === 2 && typeof entry[0] === 'string')
  );
}
