import { isAscii } from 'node:buffer';
import { hash } from 'node:crypto';
import type { StatTuple } from '../project/read-log.ts';
import { bytesOf, decodeParts, encodeParts, float64s } from './byte-parts.ts';
import type { Outcome, SeenOutputs } from './memory.ts';

/**
 * `.reelform/plan.idx`: texts of videos, one after the other; the body, of JSON and columns of numbers; the head, what a plan
 * with nothing to do looks at; the tail. A body or head that is not what the tail says is no body or head.
 *
 * ```text
 * records | body | head | body offset, body length, head length: 3 × float64 | SHA-256 of the body: 32 | mark: 8 |
 * SHA-256 of everything from the head on: 32
 * ```
 */
export const TAIL_BYTES = 24 + 32 + 8 + 32;

const MARK = Buffer.from('RFPLAN4\n', 'latin1');
const ROW = 5;

/** The part of the index that every plan reads. */
export interface Head {
  /** What can be said in JSON. */
  readonly meta: HeadMeta;
  readonly files: States;
  readonly folders: States;
  readonly ways: readonly string[];
  readonly outputs: SeenOutputs;
}

export interface HeadMeta {
  /** Of the program that wrote it, and for whom: another one believes nothing of it. */
  readonly key: string;
  readonly absent: readonly string[];
  /** Path → where its links lead. */
  readonly reals: Readonly<Record<string, string>>;
  /** What came of the last plan of everything, save for what stands elsewhere. */
  readonly outcome: Pick<Outcome, 'isEmpty' | 'lock' | 'journal'> | null;
  readonly videos: number;
  /** Whether a plan has anything to say beside its changes. */
  readonly hasDiagnostics: boolean;
}

/** Paths by code unit, in columns: `tuples` has five numbers for each, `trust` one byte. */
export interface States {
  readonly paths: readonly string[];
  readonly tuples: Float64Array;
  readonly trust: Uint8Array;
}

export function tupleAt({ tuples }: States, index: number): StatTuple {
  const at = index * ROW;
  return [tuples[at]!, tuples[at + 1]!, tuples[at + 2]!, tuples[at + 3]!, tuples[at + 4]!];
}

/** @param states by path */
export function statesOf(states: readonly { path: string; tuple: StatTuple; isTrusted: boolean }[]): States {
  const tuples = new Float64Array(states.length * ROW);
  const trust = new Uint8Array(states.length);
  states.forEach(({ tuple, isTrusted }, index) => {
    tuples.set(tuple, index * ROW);
    trust[index] = isTrusted ? 1 : 0;
  });
  return { paths: states.map(({ path }) => path), tuples, trust };
}

/** Head and tail as they stand in the file. */
export function encodeHead(head: Head, body: Uint8Array, bodyOffset: number): Buffer {
  const parts = [
    Buffer.from(JSON.stringify(head.meta)),
    ...[head.files, head.folders].flatMap(({ paths, tuples, trust }) => [lines(paths), bytesOf(tuples), trust]),
    lines(head.ways),
    lines(head.outputs.paths),
    bytesOf(head.outputs.sizes),
  ];
  const chunks = encodeParts(parts);
  const sizes = new Float64Array([bodyOffset, body.length, chunks.reduce((sum, { length }) => sum + length, 0)]);
  const signed = Buffer.concat([...chunks, bytesOf(sizes), hash('sha256', body, 'buffer'), MARK]);
  return Buffer.concat([signed, hash('sha256', signed, 'buffer')]);
}

export interface Tail {
  readonly bodyOffset: number;
  readonly bodyLength: number;
  readonly headLength: number;
  readonly bodySha256: Uint8Array;
}

/** @returns null for anything that is no tail of a file of this size */
export function decodeTail(tail: Buffer, fileBytes: number): Tail | null {
  if (tail.length !== TAIL_BYTES || !tail.subarray(56, 64).equals(MARK)) return null;
  const [bodyOffset = -1, bodyLength = -1, headLength = -1] = new Float64Array(
    Uint8Array.from(tail.subarray(0, 24)).buffer,
  );
  const sizes = [bodyOffset, bodyLength, headLength];
  if (!sizes.every((size) => Number.isSafeInteger(size) && size >= 0)) return null;
  if (bodyOffset + bodyLength + headLength + TAIL_BYTES !== fileBytes) return null;
  return { bodyOffset, bodyLength, headLength, bodySha256: tail.subarray(24, 56) };
}

/**
 * @param bytes head and tail; its memory begins at a multiple of 8, and is kept
 * @returns null when a byte of them is not as it was written
 */
export function decodeHead(bytes: Buffer): Head | null {
  const signed = bytes.subarray(0, -32);
  if (!hash('sha256', signed, 'buffer').equals(bytes.subarray(-32))) return null;
  const parts = decodeParts(bytes, PARTS);
  const states = (part: number): States => {
    return { paths: linesIn(parts[part]!), tuples: float64s(parts[part + 1]!), trust: parts[part + 2]! };
  };
  const meta = JSON.parse(parts[0]!.toString()) as HeadMeta;
  const outputs = { paths: linesIn(parts[8]!), sizes: float64s(parts[9]!) };
  return { meta, files: states(1), folders: states(4), ways: linesIn(parts[7]!), outputs };
}

const PARTS = 10;

/** Whether a path can stand in the index, where each is a line. */
export function isLine(path: string): boolean {
  return !path.includes('\n');
}

function lines(paths: readonly string[]): Buffer {
  return Buffer.from(paths.map((path) => `${path}\n`).join(''));
}

function linesIn(bytes: Buffer): string[] {
  const paths = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8').split('\n');
  paths.pop();
  return paths;
}
