import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TemporaryFile } from '../../../../src/kernel/temporary-file.ts';
import {
  encodeMessage,
  MalformedMessage,
  MessageReader,
} from '../../../../src/service/sessions/processes/message-channel.ts';

const LIMITS = { textBytes: 1_000, attachedBytes: 100_000, files: 1, fileBytes: 100 };

/** The files of the sender. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reelform-test-'));
  writeFileSync(join(folder, 'small'), 'small');
  writeFileSync(join(folder, 'large'), Buffer.alloc(101));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const takeFile = (name: string): TemporaryFile => TemporaryFile.take(join(folder, name));

/** Feeds bytes to a reader in chunks of a size. @returns the received messages */
function read(bytes: Uint8Array, size = bytes.length): unknown[] {
  const messages: unknown[] = [];
  const reader = new MessageReader({
    limitsOf: (task) => (task === 7 ? LIMITS : null),
    onMessage: (_task, message) => messages.push(message),
    takeFile,
  });
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  return messages;
}

const encode = (message: unknown, task = 7): Buffer => Buffer.concat(encodeMessage(task, message));

describe('encodeMessage() and MessageReader', () => {
  const messages: readonly unknown[] = [
    null,
    { a: [1, -2.5, true, 'é\ud800', { b: null }] },
    { bytes: new Uint8Array([1, 2, 3]), empty: new Uint8Array(), more: [new Uint8Array(5_000).fill(9)] },
    new Map([['x', new Map([['y', new Uint8Array([4])]])]]),
    { text: 'ü'.repeat(400) },
    { $: 'bytes', b: 1 },
    { numbers: [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] },
    { ['__proto__']: 1, 2: 'b', 1: 'a' },
  ];

  it.each([1, 7, 100_000])('restore messages that arrive in chunks of %d bytes', (size) => {
    const restored = read(Buffer.concat(messages.map((message) => encode(message))), size);
    const plain = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value, (_key, one) => {
          if (one instanceof Map) return ['map', ...one];
          return typeof one === 'number' ? String(one) : one?.type === 'Buffer' ? Object.assign({}, one.data) : one;
        }),
      );
    expect(plain(restored)).toEqual(plain(messages));
  });

  it('send bytes once that occur several times', () => {
    const bytes = new Uint8Array(10_000).fill(7);
    const encoded = encode({ a: bytes, b: [bytes, bytes], c: new Uint8Array([1]) });
    expect(encoded.length).toBeLessThan(11_000);
    const [{ a, b }] = read(encoded) as [{ readonly a: Buffer; readonly b: readonly Buffer[] }];
    expect([b[0] === a, b[1] === a, a.equals(bytes)]).toEqual([true, true, true]);
  });

  it('hand over files', async () => {
    const file = await TemporaryFile.of(Buffer.from('content'));
    const bytes = Buffer.concat(encodeMessage(7, { file, text: 'a' }, { nameOf: (handed) => handed.shareIn(folder) }));
    const [received] = read(bytes) as [{ readonly file: TemporaryFile; readonly text: string }];
    expect([(await received.file.bytes()).toString(), received.text]).toEqual(['content', 'a']);
    expect(readdirSync(folder)).toHaveLength(2);
    expect(() => encode({ file })).toThrow(TypeError);
    file.close();
    received.file.close();
  });

  it.each([
    ['a function', { a: () => undefined }],
    ['a date', { a: new Date() }],
    ['a set', new Set()],
  ])('encodeMessage() rejects %s', (_what, message) => {
    expect(() => encodeMessage(1, message)).toThrow(TypeError);
  });

  const withText = (text: string, changes: (head: Buffer) => void = () => undefined): Buffer => {
    const head = Buffer.alloc(12);
    head.writeUInt32BE(7, 0);
    head.writeUInt32BE(Buffer.byteLength(text), 4);
    changes(head);
    return Buffer.concat([head, Buffer.from(text)]);
  };
  it.each([
    ['of an unknown task', encode({}, 8)],
    ['of V8', Buffer.from('\xff\x0f"\x04null', 'latin1')],
    ['that is noise', Buffer.alloc(64, 0xff)],
    ['whose text is too long', withText('', (head) => head.writeUInt32BE(1_001, 4))],
    ['with millions of attachments', withText('', (head) => head.writeUInt32BE(4_000_000, 8))],
    ['with too many bytes', encode(new Uint8Array(100_001))],
    ['that is not JSON', withText('{')],
    ['that refers to missing bytes', withText('{"$":"bytes"}')],
    ['with an unknown tag', withText('{"$":"date"}')],
    ['with a map of something else', withText('{"$":"map","entries":[[1,2]]}')],
    ['with unused bytes', Buffer.concat([encode(new Uint8Array([1])).subarray(0, 19), withText('null').subarray(12)])],
    ['with too many files', withText('[{"$":"file","name":"small"},{"$":"file","name":"large"}]')],
    ['with a file that is too large', withText('{"$":"file","name":"large"}')],
    ['with a missing file', withText('{"$":"file","name":"missing"}')],
    ['with a path in place of the name of a file', withText('{"$":"file","name":"./small"}')],
    ['that is nested deeply', withText(`${'['.repeat(400)}${']'.repeat(400)}`)],
  ])('MessageReader rejects a message %s', (_what, bytes) => {
    // Bytes that follow do not matter.
    expect(() => read(Buffer.concat([bytes, Buffer.alloc(1_000)]))).toThrow(MalformedMessage);
  });

  it('MessageReader needs no memory for declared bytes that never arrive', () => {
    const head = Buffer.alloc(18);
    head.writeUInt32BE(7, 0);
    head.writeUInt32BE(4, 4);
    head.writeUInt32BE(1, 8);
    head.writeUIntBE(2 ** 30, 12, 6);
    const before = process.memoryUsage().rss;
    const limitsOf = () => ({ ...LIMITS, attachedBytes: 2 ** 31 });
    new MessageReader({ limitsOf, onMessage: () => undefined, takeFile }).push(head);
    expect(process.memoryUsage().rss - before).toBeLessThan(2 ** 28);
  });
});
