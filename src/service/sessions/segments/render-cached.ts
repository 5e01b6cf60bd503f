import pLimit from 'p-limit';
import type { AudioCodec, AudioTrack } from '../../../engine/codec/encoded-track.ts';
import { type RenderedSound, trackFindings } from '../../../engine/input-media.ts';
import type { AnyRenderInput } from '../../../engine/packed-input.ts';
import type { RenderedSegment, SegmentStill } from '../../../engine/segments/rendered-segment.ts';
import { stillKey } from '../../../engine/segments/segment.ts';
import { abortable } from '../../../kernel/abortable.ts';
import { type Sha256, sha256 } from '../../../kernel/digest.ts';
import { TemporaryFile } from '../../../kernel/temporary-file.ts';
import type { CachedKind, SegmentCache } from './segment-cache.ts';

/** A unit to render. */
interface CachedUnit {
  /** Key in the cache; null if the unit is not cached. */
  readonly key: Sha256 | null;
}

interface UnitWork<Unit extends CachedUnit, Value, Held> {
  readonly kind: CachedKind;
  /** Renders units and passes each value to `keep` when it is finished. */
  render(missing: readonly Unit[], keep: (unit: Unit, value: Value) => Promise<void>): Promise<void>;
  /** Writes a value to the cache. */
  store(key: Sha256, value: Value): Promise<void>;
  /** Returns what stays in memory of a value. Values are large, and a long video has many. */
  hold(unit: Unit, value: Value): Promise<Held>;
  onReused(unit: Unit): void;
  readonly signal: AbortSignal | undefined;
}

/** Values that are read from the cache at once. */
const CONCURRENT_READS = 8;

/**
 * Returns what `hold` returns for the value of each unit: from the cache, after a concurrent render has stored it there, or rendered
 * now.
 *
 * @param cache null to render all units
 * @throws errors of `render`; the signal's reason
 */
export async function renderUnits<Unit extends CachedUnit, Value, Held>(
  cache: SegmentCache | null,
  units: readonly Unit[],
  work: UnitWork<Unit, Value, Held>,
): Promise<ReadonlyMap<Unit, Held>> {
  const done = new Map<Unit, Held>();
  if (cache === null && units.length > 0) {
    await work.render(units, async (unit, value) => void done.set(unit, await work.hold(unit, value)));
  }
  let pending = cache === null ? [] : units;
  while (pending.length > 0) pending = await renderRound(cache!, pending, work, done);
  return done;
}

/** @returns units that a concurrent render or this round has stored, unless that failed */
async function renderRound<Unit extends CachedUnit, Value, Held>(
  cache: SegmentCache,
  pending: readonly Unit[],
  { kind, render, store, hold, onReused, signal }: UnitWork<Unit, Value, Held>,
  done: Map<Unit, Held>,
): Promise<Unit[]> {
  const concurrentRenders = pending.flatMap((unit) => {
    const ended = unit.key === null ? undefined : cache.running(unit.key);
    return ended === undefined ? [] : [{ unit, ended }];
  });
  const renderedElsewhere = new Set(concurrentRenders.map(({ unit }) => unit));
  // Equal scenes of a video have equal segments. The first of them is rendered.
  const firstOf = new Map<Sha256, Unit>();
  const repeated: Unit[] = [];
  const unclaimed = pending.filter((unit) => {
    if (renderedElsewhere.has(unit) || unit.key === null) return unit.key === null;
    const first = firstOf.get(unit.key) ?? unit;
    firstOf.set(unit.key, first);
    if (first !== unit) repeated.push(unit);
    return first === unit;
  });
  const claims = new Map(unclaimed.flatMap((unit) => (unit.key === null ? [] : [[unit, cache.claim(unit.key)]])));
  try {
    const reading = pLimit(CONCURRENT_READS);
    const finding = unclaimed.map((unit) =>
      reading(async () => {
        const value = unit.key === null ? null : await cache.find<Value>(unit.key);
        if (value === null) return [unit];
        claims.get(unit)!();
        done.set(unit, await hold(unit, value));
        cache.count(kind, 'reused');
        onReused(unit);
        return [];
      }),
    );
    const missing = (await Promise.all(finding)).flat();
    const keep = async (unit: Unit, value: Value): Promise<void> => {
      cache.count(kind, 'rendered');
      if (unit.key !== null) await store(unit.key, value);
      claims.get(unit)?.();
      done.set(unit, await hold(unit, value));
    };
    if (missing.length > 0) await render(missing, keep);
  } finally {
    for (const release of claims.values()) release();
  }
  for (const { ended } of concurrentRenders) await (signal === undefined ? ended : abortable(ended, signal));
  return [...concurrentRenders.map(({ unit }) => unit), ...repeated];
}

/**
 * Writes a segment and its stills, with frames as the cache counts them. Stills have separate keys, so that renders with and without stills share
 * segments.
 */
export async function storeSegment(cache: SegmentCache, key: Sha256, segment: RenderedSegment): Promise<void> {
  await cache.keep(key, { ...segment, stills: [] });
  await storeStills(cache, key, segment.stills);
}

async function storeStills(cache: SegmentCache, segment: Sha256, stills: readonly SegmentStill[]): Promise<void> {
  for (const { frame, bytes } of stills) await cache.keep(stillKey(segment, frame), bytes);
}

/** A segment with its frames in the video. */
interface CachedSegment<Segment> extends CachedUnit {
  readonly segment: Segment;
  /** Frame of the video from which the cache counts frames. */
  readonly offset: number;
}

/**
 * Adds missing stills to reused segments, from the cache or by drawing them.
 *
 * @param frames frames of all stills of the video
 */
export async function addStills<Segment extends Omit<RenderedSegment, 'packets'>>(
  cache: SegmentCache,
  segments: readonly CachedSegment<Segment>[],
  frames: readonly number[],
  renderStills: (frames: readonly number[]) => Promise<readonly SegmentStill[]>,
): Promise<Segment[]> {
  const missing: number[] = [];
  const finding = segments.map(async ({ key, segment, offset }) => {
    const { first, end, stills } = segment;
    const ownFrames = frames.filter((frame) => frame >= first && frame < end);
    const lacking = ownFrames.filter((frame) => stills.every((still) => still.frame !== frame));
    const cached = lacking.map(async (frame) => {
      const bytes = key === null ? null : await cache.find<Uint8Array>(stillKey(key, frame - offset));
      if (bytes !== null) return [{ frame, bytes }];
      missing.push(frame);
      return [];
    });
    return { key, offset, segment: { ...segment, stills: [...stills, ...(await Promise.all(cached)).flat()] } };
  });
  const found = await Promise.all(finding);
  const drawn = missing.length === 0 ? [] : await renderStills(missing.sort((a, b) => a - b));
  const complete: Segment[] = [];
  for (const { key, segment, offset } of found) {
    const drawnStills = drawn.filter(({ frame }) => frame >= segment.first && frame < segment.end);
    const stored = drawnStills.map((still) => ({ ...still, frame: still.frame - offset }));
    if (key !== null) await storeStills(cache, key, stored);
    complete.push({ ...segment, stills: [...segment.stills, ...drawnStills] });
  }
  return complete;
}

/**
 * Renders the sound of an input or reads it from the cache. The media are always examined for defects.
 *
 * @param render examines the media, and with a codec renders the sound
 */
export async function renderSoundCached(
  cache: SegmentCache | null,
  renderInput: AnyRenderInput,
  { codec, owner }: { readonly codec: AudioCodec | null; readonly owner: string },
  render: (codec: AudioCodec | null) => Promise<RenderedSound>,
): Promise<RenderedSound> {
  const isCached = cache !== null && codec !== null && renderInput.sounds.length > 0;
  const key = isCached ? (await cache.keysOf({ renderInput, outputs: [], ranges: [], codec }, owner)).sound : null;
  const track = key === null ? undefined : await findSound(cache!, key);
  if (track !== undefined) {
    const { findings } = await render(null);
    return { track, findings: [...findings, ...trackFindings(renderInput, track)] };
  }
  const sound = await render(codec);
  if (key !== null) await storeSound(cache!, key, sound.track);
  return sound;
}

/** A sound in the cache. Its packets are in records of their own, because a record is read and written as a whole. */
interface StoredSound {
  readonly track: (Omit<AudioTrack, 'packets'> & { readonly parts: number }) | null;
}

const PART_BYTES = 4 * 2 ** 20;

function partKey(sound: Sha256, part: number): Sha256 {
  return sha256(`${sound} part ${part}`);
}

async function storeSound(cache: SegmentCache, key: Sha256, track: AudioTrack | null): Promise<void> {
  if (track === null) return cache.keep(key, { track } satisfies StoredSound);
  const { packets, ...rest } = track;
  const parts = Math.ceil(packets.size / PART_BYTES);
  for (let part = 0; part < parts; part++) {
    const [start, end] = [part * PART_BYTES, Math.min(packets.size, (part + 1) * PART_BYTES)];
    await cache.keep(partKey(key, part), await packets.bytes({ start, end }));
  }
  await cache.keep(key, { track: { ...rest, parts } } satisfies StoredSound);
}

/** @returns undefined if the cache does not have the whole sound */
async function findSound(cache: SegmentCache, key: Sha256): Promise<AudioTrack | null | undefined> {
  const found = await cache.find<StoredSound>(key);
  if (found === null) return undefined;
  if (found.track === null) return null;
  const { parts, ...track } = found.track;
  const packets = TemporaryFile.create();
  for (let part = 0; part < parts; part++) {
    const bytes = await cache.find<Uint8Array>(partKey(key, part));
    if (bytes === null) {
      packets.close();
      return undefined;
    }
    await packets.append(bytes);
  }
  return { ...track, packets };
}
