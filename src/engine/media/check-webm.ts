import { type ByteView, viewed } from '../../kernel/byte-view.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';

/** Limit for a whole file: six hours of pictures and sound, with several elements for each picture. */
const MAX_ELEMENTS = 10_000_000;
/** Limit for elements of levels 0 and 1: clusters and the elements between them. */
const MAX_TOP_ELEMENTS = 200_000;
const MAX_DEPTH = 32;
/** Limits of a WebM file. A cluster lasts a minute at most, because block times have 16 bits. */
export const WEBM_BOUNDS = {
  tracks: 100,
  clusters: 50_000,
  blocks: 4_000_000,
  clusterBlocks: 100_000,
  /** Frames that share a block, as frames of sound do. */
  clusterLacedFrames: 5_000,
  indexEntries: 50_000,
  tags: 50_000,
  attachments: 1_000,
};

const ID = {
  ebml: 0x1a45dfa3,
  segment: 0x18538067,
  seekHead: 0x114d9b74,
  cluster: 0x1f43b675,
  blockGroup: 0xa0,
  block: 0xa1,
  simpleBlock: 0xa3,
  void: 0xec,
  seekPosition: 0x53ac,
  cuePosition: 0xf1,
  compression: 0x5034,
} as const;

/** Limits for single elements, since the reader is slow with too many of them. Real files have a tenth at most. */
const MAX_COUNTS: ReadonlyMap<number, readonly [max: number, noun: string]> = new Map([
  [ID.segment, [100, 'segments']],
  [ID.seekHead, [100, 'indexes']],
  [ID.cluster, [WEBM_BOUNDS.clusters, 'clusters']],
  [0x4dbb, [1_000, 'entries of its index']],
  [0xae, [WEBM_BOUNDS.tracks, 'tracks']],
  [0xbb, [WEBM_BOUNDS.indexEntries, 'entries of its index']],
  [ID.cuePosition, [WEBM_BOUNDS.indexEntries, 'entries of its index']],
  [0x67c8, [WEBM_BOUNDS.tags, 'tags']],
  [0x61a7, [WEBM_BOUNDS.attachments, 'attachments']],
]);

/** Elements of a segment. After unreadable bytes, the reader resumes at the next of these elements. */
const LEVEL_1 = new Set<number>([
  ...[ID.seekHead, 0x1549a966, ID.cluster, 0x1654ae6b, 0x1c53bb6b, 0x1941a469, 0x1043a770, 0x1254c367],
]);
const LEVEL_0_AND_1 = new Set<number>([...LEVEL_1, ID.ebml, ID.segment]);

/** Elements whose children the reader (mediabunny 1.61.0) reads, at any level. */
const MASTERS = new Set<number>([
  ...LEVEL_0_AND_1,
  ...[0x4dbb, ID.blockGroup, 0x75a1, 0xa6, 0xae, 0xe0, 0xe1, 0x55b0, 0x7670, 0x6d80, 0x6240, ID.compression],
  ...[0xbb, 0xb7, 0x7373, 0x63c0, 0x67c8, 0x61a7],
]);

/** The message describes the problem. */
class ElementProblem extends Error {}

interface Element {
  readonly id: number;
  /** Offset of the content. */
  readonly start: number;
  /** Undefined if the element ends at the next element of its level. */
  readonly size: number | undefined;
}

/**
 * Checks a WebM or Matroska file for elements that would take the reader too much time or memory: more elements than six hours
 * need, blocks with very many frames, index entries that do not refer to the start of an element. Allocates almost nothing and
 * takes about a second for the largest files.
 *
 * @returns the problem, or undefined
 * @see RFC 8794 (EBML); RFC 9559, sections 5 and 10.3 (lacing)
 */
export function findElementProblem(bytes: SourceBytes): string | undefined {
  try {
    viewed(bytes, (file) => new ElementWalk(file).walk());
    return undefined;
  } catch (error) {
    if (error instanceof ElementProblem) return error.message;
    throw error;
  }
}

class ElementWalk {
  readonly #file: ByteView;
  readonly #counts = new Map<number, number>();
  /** Start offsets of level 1 elements. */
  readonly #level1 = new Set<number>();
  /** Offsets that an index refers to. */
  readonly #targets: number[] = [];
  #elements = 0;
  #topElements = 0;
  #blocks = 0;
  #clusterBlocks = 0;
  #clusterFrames = 0;
  #segmentStart = 0;
  /** A track's compression may put the number of frames before each block. */
  #hasCompression = false;

  constructor(file: ByteView) {
    this.#file = file;
  }

  /** Visits level 0. Elements after a segment are read like those at the start of the file. */
  walk(): void {
    const { length } = this.#file;
    for (let at = 0; at < length; ) {
      const element = this.#elementAt(at, length);
      // The reader stops at unreadable bytes, such as zeros at the end of a file.
      if (element === undefined) break;
      const { id, start, size = length - start } = element;
      if (id !== ID.ebml && id !== ID.segment && id !== ID.cluster && id !== ID.void) {
        throw new ElementProblem('it has elements where none belong');
      }
      this.#beginTopElement(id, at);
      if (id === ID.segment) this.#visitSegment(start, Math.min(length, start + size));
      else if (id !== ID.void) this.#visitMaster(id, start, Math.min(length, start + size));
      at = start + size;
    }
    for (const target of this.#targets) this.#checkTarget(target);
  }

  /** Checks that an index entry refers to an element of a segment, because the reader searches from that offset on. */
  #checkTarget(target: number): void {
    // In a truncated file, an entry may refer to an offset beyond the end.
    if (target < this.#file.length && !this.#level1.has(target)) {
      throw new ElementProblem('its index points into the middle of an element');
    }
  }

  /** Like the reader, skips an unknown element up to the next bytes that are the id of a segment's element. */
  #visitSegment(start: number, end: number): void {
    this.#segmentStart = start;
    for (let at: number | undefined = start; at !== undefined && at < end; ) {
      const element = this.#elementAt(at, end);
      if (element === undefined || (!LEVEL_1.has(element.id) && element.id !== ID.void)) {
        at = this.#resync(at + 1, end);
        continue;
      }
      const { id, start: content, size } = element;
      this.#beginTopElement(id, at);
      const contentEnd = Math.min(end, size === undefined ? end : content + size);
      const stoppedAt = id === ID.void ? contentEnd : this.#visitMaster(id, content, contentEnd);
      at = id === ID.cluster || size === undefined ? stoppedAt : content + size;
    }
  }

  #beginTopElement(id: number, at: number): void {
    this.#count(id);
    this.#topElements += 1;
    if (this.#topElements > MAX_TOP_ELEMENTS) throw new ElementProblem('it has too many elements');
    if (id !== ID.void) this.#level1.add(at);
  }

  #visitMaster(id: number, start: number, end: number): number {
    [this.#clusterBlocks, this.#clusterFrames] = [0, 0];
    return this.#visit(start, end, id === ID.cluster, 1);
  }

  /**
   * @param isCluster ends at the next element of a higher level, regardless of its size
   * @returns the offset at which the reader continues
   */
  #visit(start: number, end: number, isCluster: boolean, depth: number): number {
    if (depth > MAX_DEPTH) throw new ElementProblem('its elements are nested too deep');
    let at = start;
    while (at + 2 <= end) {
      const element = this.#elementAt(at, end);
      if (element === undefined || (isCluster && LEVEL_0_AND_1.has(element.id))) return at;
      const { id, start: content, size } = element;
      if (size === undefined) return at;
      const next = content + size;
      if (next > end) return next;
      this.#count(id);
      if (id === ID.simpleBlock || id === ID.block) this.#countBlock(content, next);
      else if (id === ID.seekPosition || id === ID.cuePosition) {
        this.#targets.push(this.#segmentStart + this.#number(content, size));
      } else if (id === ID.compression) this.#hasCompression = true;
      if (MASTERS.has(id)) this.#visit(content, next, false, depth + 1);
      at = next;
    }
    return at;
  }

  #count(id: number): void {
    this.#elements += 1;
    if (this.#elements > MAX_ELEMENTS) throw new ElementProblem('it has too many elements');
    const limit = MAX_COUNTS.get(id);
    if (limit === undefined) return;
    const [max, noun] = limit;
    const count = (this.#counts.get(id) ?? 0) + 1;
    this.#counts.set(id, count);
    if (count > max) throw new ElementProblem(`it has more than ${max} ${noun}`);
  }

  /** @see RFC 9559, sections 10.1 and 10.3 */
  #countBlock(start: number, end: number): void {
    this.#blocks += 1;
    this.#clusterBlocks += 1;
    const track = this.#vint(start, end);
    const flags = track === undefined ? 0 : (this.#file.at(track.next + 2) ?? 0);
    const isLaced = (flags & 0x06) !== 0;
    if (isLaced) this.#clusterFrames += this.#hasCompression ? 256 : 1 + (this.#file.at(track!.next + 3) ?? 0);
    if (this.#blocks > WEBM_BOUNDS.blocks || this.#clusterBlocks > WEBM_BOUNDS.clusterBlocks) {
      throw new ElementProblem('it has too many blocks');
    }
    if (this.#clusterFrames > WEBM_BOUNDS.clusterLacedFrames)
      throw new ElementProblem('its blocks have too many frames');
  }

  /** Returns the offset of the next bytes that are the id of a segment's element. */
  #resync(start: number, end: number): number | undefined {
    for (let at = start; at + 4 <= end; at++) {
      const first = this.#file.at(at)!;
      if (first >= 0x10 && first < 0x20 && LEVEL_1.has(this.#file.readUInt32BE(at))) return at;
    }
    return undefined;
  }

  #elementAt(at: number, end: number): Element | undefined {
    const first = this.#file.at(at) ?? 0;
    const idBytes = Math.clz32(first) - 23;
    if (idBytes > 4 || at + idBytes >= end) return undefined;
    const size = this.#vint(at + idBytes, end);
    if (size === undefined) return undefined;
    return { id: this.#number(at, idBytes), start: size.next, size: size.value };
  }

  /** Reads a variable-length integer; the value is undefined if it is marked as unknown. */
  #vint(at: number, end: number): { readonly value: number | undefined; readonly next: number } | undefined {
    const first = this.#file.at(at) ?? 0;
    const length = Math.clz32(first) - 23;
    if (length > 8 || at + length > end) return undefined;
    const unknown = 2 ** (7 * length) - 1;
    const value = this.#number(at + 1, length - 1) + (first & (0xff >> length)) * 2 ** (8 * (length - 1));
    return { value: value === unknown ? undefined : value, next: at + length };
  }

  #number(at: number, length: number): number {
    let value = 0;
    for (let index = 0; index < Math.min(length, 8); index++) value = value * 256 + (this.#file.at(at + index) ?? 0);
    return value;
  }
}
