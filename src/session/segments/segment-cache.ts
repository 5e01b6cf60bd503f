import { type Sha256, sha256 } from '../../digest.ts';
import type { AudioCodec, AudioTrack } from '../../engine/codec/encoded-track.ts';
import type { AnyScene } from '../../engine/packed-scene.ts';
import type { RenderedSound } from '../../engine/scene-media.ts';
import type { RenderedSegment, SegmentStill } from '../../engine/segments/render-segments.ts';
import { type FrameRange, stillKey } from '../../engine/segments/segment.ts';
import type { SceneOutput } from '../../template/scene.ts';
import { type CacheKeys, cacheKeys, type KeyQuestion } from './cache-keys.ts';

/** Stores finished segments and sounds by key, in a folder or a bucket. */
export interface SegmentStore {
  /** Returns null if it is missing or damaged. */
  get(key: Sha256): Promise<Uint8Array | null>;
  /** Whether there is one, intact or not. */
  has(key: Sha256): Promise<boolean>;
  /** Writes atomically. */
  put(key: Sha256, bytes: Uint8Array): Promise<void>;
}

export interface SegmentCacheOptions {
  readonly store: SegmentStore;
  /** Identifies the engine, the encoder and everything else that affects their bytes. */
  readonly build: string;
  /** Computes keys; in this process by default, which has to trust the scenes then. */
  keysOf?(question: KeyQuestion, owner: string): Promise<CacheKeys>;
  /** Owners of one scope share segments. Absent: all owners do. */
  scopeOf?(owner: string): string;
  /** Called once when the store fails; later renders work without it. */
  onFailure(error: unknown): void;
  /** Called for each segment. */
  onSegment?(outcome: 'reused' | 'rendered'): void;
}

/** Segments of earlier renders and of concurrent renders in this process. */
export class SegmentCache {
  readonly build: string;
  readonly #options: SegmentCacheOptions;
  readonly #store: SegmentStore;
  readonly #running = new Map<Sha256, Promise<RenderedSegment | null>>();
  #hasFailed = false;
  #reused = 0;
  #rendered = 0;

  constructor(options: SegmentCacheOptions) {
    this.#options = options;
    this.build = options.build;
    this.#store = options.store;
  }

  /** Computes the keys of an owner's scene, which no owner of another scope can get. */
  async keysOf(question: Omit<KeyQuestion, 'build'>, owner: string): Promise<CacheKeys> {
    const { keysOf = async (one: KeyQuestion) => cacheKeys(one), scopeOf = () => '' } = this.#options;
    const scope = scopeOf(owner);
    return keysOf({ ...question, build: scope === '' ? this.build : JSON.stringify([this.build, scope]) }, owner);
  }

  /** Segments reused and rendered so far. */
  get figures(): { readonly reused: number; readonly rendered: number } {
    return { reused: this.#reused, rendered: this.#rendered };
  }

  /** Whether the store failed, so that nothing is kept any more. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Returns the segment of a concurrent render, which resolves to null if that fails; undefined if there is none. */
  running(key: Sha256): Promise<RenderedSegment | null> | undefined {
    return this.#running.get(key);
  }

  /** Lets other renders wait for a segment. @returns publishes the segment, or null on failure */
  claim(key: Sha256): (segment: RenderedSegment | null) => void {
    let settle: (segment: RenderedSegment | null) => void = () => undefined;
    this.#running.set(
      key,
      new Promise((resolve) => {
        settle = resolve;
      }),
    );
    return (segment) => {
      this.#running.delete(key);
      settle(segment);
    };
  }

  count(of: 'reused' | 'rendered'): void {
    if (of === 'reused') this.#reused += 1;
    else this.#rendered += 1;
    this.#options.onSegment?.(of);
  }

  /** Whether the store has the segment. A store that fails has none. */
  async has(key: Sha256): Promise<boolean> {
    return await this.#store.has(key).catch(() => false);
  }

  async find<T>(key: Sha256): Promise<T | null> {
    if (this.#hasFailed) return null;
    try {
      const bytes = await this.#store.get(key);
      return bytes === null ? null : unpackRecord<T>(bytes);
    } catch (error) {
      this.#fail(error);
      return null;
    }
  }

  async keep(key: Sha256, value: unknown): Promise<void> {
    if (this.#hasFailed) return;
    await this.#store.put(key, packRecord(value)).catch((error: unknown) => this.#fail(error));
  }

  #fail(error: unknown): void {
    if (!this.#hasFailed) this.#options.onFailure(error);
    this.#hasFailed = true;
  }
}

/** A range to draw, and the indices of the outputs that need its segment. */
export interface MissingSegments {
  readonly range: FrameRange;
  readonly outputs: readonly number[];
}

interface RenderMissing {
  readonly owner: string;
  /** Renders segments and passes on each one when it is finished. */
  render(
    missing: readonly MissingSegments[],
    keep: (output: number, segment: RenderedSegment) => Promise<void>,
  ): Promise<void>;
  /** Draws stills that reused segments lack. */
  renderStills(frames: readonly number[]): Promise<readonly SegmentStill[]>;
  onReused(range: FrameRange): void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Returns the segments of a scene for outputs that share a drawing, from the cache or concurrent renders, and renders the rest.
 * Stills are cached apart, so that renders with and without stills share segments. Only the segments of the first output have them.
 *
 * @returns for each output, in the order of the ranges
 * @throws errors of `render` and `renderStills`; the signal's reason
 */
export async function renderCached(
  cache: SegmentCache | null,
  scene: AnyScene,
  outputs: readonly SceneOutput[],
  ranges: readonly FrameRange[],
  { owner, render, renderStills, onReused, signal }: RenderMissing,
): Promise<RenderedSegment[][]> {
  const done = outputs.map(() => new Map<number, RenderedSegment>());
  const keep = async (output: number, segment: RenderedSegment): Promise<void> =>
    void done[output]!.set(segment.first, segment);
  const inOrder = (): RenderedSegment[][] => done.map((segments) => ranges.map(({ first }) => segments.get(first)!));
  if (cache === null) {
    const all = outputs.map((_, at) => at);
    await render(
      ranges.map((range) => ({ range, outputs: all })),
      keep,
    );
    return inOrder();
  }
  const reuse = ({ range, output }: KeyedRange, segment: RenderedSegment): void => {
    done[output]!.set(range.first, segment);
    cache.count('reused');
    onReused(range);
  };
  const keys = (await cache.keysOf({ scene, outputs, ranges, codec: null }, owner)).segments;
  const keyed = ranges.flatMap((range, at) => outputs.map((_, output) => ({ range, output, key: keys[at]![output]! })));
  let pending: readonly KeyedRange[] = keyed;
  while (pending.length > 0) pending = await renderRound(cache, pending, { render, reuse, keep, signal });
  const [first, ...others] = inOrder();
  const stills = {
    keys: new Map(keyed.flatMap(({ range, output, key }) => (output === 0 ? [[range.first, key]] : []))),
    frames: [...new Set(scene.stills.map(({ frame }) => frame))],
    renderStills,
  };
  return [await addStills(cache, first!, stills), ...others];
}

/** Adds stills that segments lack, from the cache or drawn. */
async function addStills(
  cache: SegmentCache,
  segments: readonly RenderedSegment[],
  {
    keys,
    frames,
    renderStills,
  }: Pick<RenderMissing, 'renderStills'> & {
    /** By the first frame of the segment. */
    readonly keys: ReadonlyMap<number, Sha256 | null>;
    /** All stills of the video. */
    readonly frames: readonly number[];
  },
): Promise<RenderedSegment[]> {
  const missing: number[] = [];
  const found = await Promise.all(
    segments.map(async (segment) => {
      const { first, end, stills } = segment;
      const key = keys.get(first) ?? null;
      const wanted = frames.filter((frame) => frame >= first && frame < end);
      const lacking = wanted.filter((frame) => stills.every((still) => still.frame !== frame));
      const cached = await Promise.all(
        lacking.map(async (frame) => {
          const bytes = key === null ? null : await cache.find<Uint8Array>(stillKey(key, frame));
          if (bytes !== null) return [{ frame, bytes }];
          missing.push(frame);
          return [];
        }),
      );
      return { ...segment, stills: [...stills, ...cached.flat()] };
    }),
  );
  if (missing.length === 0) return found;
  const drawn = await renderStills(missing.sort((a, b) => a - b));
  const complete = found.map((segment) => ({
    ...segment,
    stills: [...segment.stills, ...drawn.filter(({ frame }) => frame >= segment.first && frame < segment.end)],
  }));
  for (const { first, stills } of complete) {
    const own = stills.filter(({ frame }) => missing.includes(frame));
    const key = keys.get(first) ?? null;
    if (key !== null) await keepStills(cache, key, own);
  }
  return complete;
}

async function keepStills(cache: SegmentCache, segment: Sha256, stills: readonly SegmentStill[]): Promise<void> {
  for (const { frame, bytes } of stills) await cache.keep(stillKey(segment, frame), bytes);
}

interface KeyedRange {
  readonly range: FrameRange;
  /** Index of the output. */
  readonly output: number;
  readonly key: Sha256 | null;
}

/** @returns ranges whose concurrent render failed */
async function renderRound(
  cache: SegmentCache,
  pending: readonly KeyedRange[],
  options: Pick<RenderMissing, 'render' | 'signal'> & {
    reuse(one: KeyedRange, segment: RenderedSegment): void;
    keep(output: number, segment: RenderedSegment): Promise<void>;
  },
): Promise<KeyedRange[]> {
  const { signal, reuse } = options;
  const others = pending.flatMap((one) => {
    const segment = one.key === null ? undefined : cache.running(one.key);
    return segment === undefined ? [] : [{ one, segment }];
  });
  const taken = new Set(others.map(({ one }) => one));
  const own = pending.filter((one) => !taken.has(one));
  const claims = new Map(own.flatMap((one) => (one.key === null ? [] : [[one, cache.claim(one.key)]])));
  try {
    const finding = own.map(async (one) => {
      const segment = one.key === null ? null : await cache.find<RenderedSegment>(one.key);
      if (segment === null) return [one];
      claims.get(one)!(segment);
      reuse(one, segment);
      return [];
    });
    const missing = (await Promise.all(finding)).flat();
    const keep = async (output: number, segment: RenderedSegment): Promise<void> => {
      const one = missing.find((other) => other.output === output && other.range.first === segment.first)!;
      cache.count('rendered');
      await options.keep(output, segment);
      claims.get(one)?.(segment);
      if (one.key === null) return;
      await cache.keep(one.key, { ...segment, stills: [] });
      await keepStills(cache, one.key, segment.stills);
    };
    if (missing.length > 0) await options.render(byRange(missing), keep);
  } finally {
    for (const release of claims.values()) release(null);
  }
  const left: KeyedRange[] = [];
  for (const { segment: promised, one } of others) {
    const segment = await unlessAborted(promised, signal);
    if (segment === null) left.push(one);
    else reuse(one, segment);
  }
  return left;
}

function byRange(missing: readonly KeyedRange[]): MissingSegments[] {
  const outputs = new Map<FrameRange, number[]>();
  for (const { range, output } of missing) outputs.set(range, [...(outputs.get(range) ?? []), output]);
  return [...outputs].map(([range, of]) => ({ range, outputs: of }));
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    void promise.then(resolve).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/**
 * Renders the sound of a scene, cached under its own key. Its media are always examined for visible defects.
 *
 * @param render examines the media; makes no sound without a codec
 */
export async function renderSoundCached(
  cache: SegmentCache | null,
  scene: AnyScene,
  { codec, owner }: { readonly codec: AudioCodec | null; readonly owner: string },
  render: (codec: AudioCodec | null) => Promise<RenderedSound>,
): Promise<RenderedSound> {
  const isCached = cache !== null && codec !== null && scene.sounds.length > 0;
  const key = isCached ? (await cache.keysOf({ scene, outputs: [], ranges: [], codec }, owner)).sound : null;
  const found = key === null ? null : await cache!.find<{ track: AudioTrack | null }>(key);
  if (found !== null) return { ...(await render(null)), track: found.track };
  const sound = await render(codec);
  if (key !== null) await cache!.keep(key, { track: sound.track });
  return sound;
}

const MAGIC = 'RFS1';
const DIGEST_CHARACTERS = 64;
const HEADER_BYTES = MAGIC.length + DIGEST_CHARACTERS + 4;
/** Key of an object that represents bytes, with their length. The bytes follow the text in the same order. */
const BYTES = '$bytes';

/**
 * Serialises plain values and byte arrays with a digest. Unlike V8's format it is safe to read from storage that other
 * programs can write.
 *
 * Format: `RFS1`, SHA-256 of the rest in hexadecimal, length of the JSON text (4 bytes, big endian), the text, the
 * bytes.
 */
export function packRecord(value: unknown): Uint8Array {
  const parts: Uint8Array[] = [];
  const plain = (part: unknown): unknown => {
    if (part instanceof Uint8Array) {
      parts.push(part);
      return { [BYTES]: part.length };
    }
    if (Array.isArray(part)) return part.map(plain);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, child]) => [key, plain(child)]));
  };
  const text = Buffer.from(JSON.stringify(plain(value)));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  const body = Buffer.concat([length, text, ...parts]);
  return Buffer.concat([Buffer.from(MAGIC + sha256(body)), body]);
}

/** @returns null for bytes that `packRecord` did not write or that were changed or truncated */
export function unpackRecord<T>(bytes: Uint8Array): T | null {
  if (!isIntact(bytes)) return null;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = HEADER_BYTES + buffer.readUInt32BE(HEADER_BYTES - 4);
  return JSON.parse(buffer.toString('utf8', HEADER_BYTES, at), (_key, value) => {
    const length = typeof value === 'object' && value !== null ? value[BYTES] : undefined;
    if (typeof length !== 'number') return value;
    at += length;
    return new Uint8Array(buffer.buffer, buffer.byteOffset + at - length, length);
  }) as T;
}

/** Verifies the digest of a record. */
export function isIntact(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, MAGIC.length + DIGEST_CHARACTERS)).toString('latin1');
  return bytes.length >= HEADER_BYTES && head === MAGIC + sha256(bytes.subarray(head.length));
}
