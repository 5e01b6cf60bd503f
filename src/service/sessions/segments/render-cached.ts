import type { AudioCodec, AudioTrack } from '../../../engine/codec/encoded-track.ts';
import type { RenderedSound } from '../../../engine/input-media.ts';
import type { AnyRenderInput } from '../../../engine/packed-input.ts';
import type { RenderedSegment, SegmentStill } from '../../../engine/render-segments.ts';
import { stillKey } from '../../../engine/segments/segment.ts';
import { abortable } from '../../../kernel/abortable.ts';
import type { Sha256 } from '../../../kernel/digest.ts';
import type { CachedKind, SegmentCache } from './segment-cache.ts';

/** A unit to render. */
interface CachedUnit {
  /** Key in the cache; null if the unit is not cached. */
  readonly key: Sha256 | null;
}

interface UnitWork<Unit extends CachedUnit, Value> {
  readonly kind: CachedKind;
  /** Renders units and passes each value to `keep` when it is finished. */
  render(missing: readonly Unit[], keep: (unit: Unit, value: Value) => Promise<void>): Promise<void>;
  /** Writes a value to the cache. */
  store(key: Sha256, value: Value): Promise<void>;
  onReused(unit: Unit): void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Returns the value of each unit: from the cache, from a concurrent render, or rendered now.
 *
 * @param cache null to render all units
 * @throws errors of `render`; the signal's reason
 */
export async function renderUnits<Unit extends CachedUnit, Value>(
  cache: SegmentCache | null,
  units: readonly Unit[],
  work: UnitWork<Unit, Value>,
): Promise<ReadonlyMap<Unit, Value>> {
  const done = new Map<Unit, Value>();
  if (cache === null && units.length > 0) {
    await work.render(units, async (unit, value) => void done.set(unit, value));
  }
  let pending = cache === null ? [] : units;
  while (pending.length > 0) pending = await renderRound(cache!, pending, work, done);
  return done;
}

/** @returns units whose concurrent render failed */
async function renderRound<Unit extends CachedUnit, Value>(
  cache: SegmentCache,
  pending: readonly Unit[],
  { kind, render, store, onReused, signal }: UnitWork<Unit, Value>,
  done: Map<Unit, Value>,
): Promise<Unit[]> {
  const reuse = (unit: Unit, value: Value): void => {
    done.set(unit, value);
    cache.count(kind, 'reused');
    onReused(unit);
  };
  const concurrentRenders = pending.flatMap((unit) => {
    const value = unit.key === null ? undefined : cache.running<Value>(unit.key);
    return value === undefined ? [] : [{ unit, value }];
  });
  const renderedElsewhere = new Set(concurrentRenders.map(({ unit }) => unit));
  const unclaimed = pending.filter((unit) => !renderedElsewhere.has(unit));
  const claims = new Map(
    unclaimed.flatMap((unit) => (unit.key === null ? [] : [[unit, cache.claim<Value>(unit.key)]])),
  );
  try {
    const finding = unclaimed.map(async (unit) => {
      const value = unit.key === null ? null : await cache.find<Value>(unit.key);
      if (value === null) return [unit];
      claims.get(unit)!(value);
      reuse(unit, value);
      return [];
    });
    const missing = (await Promise.all(finding)).flat();
    const keep = async (unit: Unit, value: Value): Promise<void> => {
      cache.count(kind, 'rendered');
      done.set(unit, value);
      claims.get(unit)?.(value);
      if (unit.key !== null) await store(unit.key, value);
    };
    if (missing.length > 0) await render(missing, keep);
  } finally {
    for (const release of claims.values()) release(null);
  }
  const failed: Unit[] = [];
  for (const { unit, value: promised } of concurrentRenders) {
    const value = await (signal === undefined ? promised : abortable(promised, signal));
    if (value === null) failed.push(unit);
    else reuse(unit, value);
  }
  return failed;
}

/** Writes a segment and its stills. Stills have separate keys, so that renders with and without stills share segments. */
export async function storeSegment(cache: SegmentCache, key: Sha256, segment: RenderedSegment): Promise<void> {
  await cache.keep(key, { ...segment, stills: [] });
  await storeStills(cache, key, segment.stills);
}

async function storeStills(cache: SegmentCache, segment: Sha256, stills: readonly SegmentStill[]): Promise<void> {
  for (const { frame, bytes } of stills) await cache.keep(stillKey(segment, frame), bytes);
}

/**
 * Adds missing stills to reused segments, from the cache or by drawing them.
 *
 * @param frames frames of all stills of the video
 */
export async function addStills(
  cache: SegmentCache,
  segments: readonly { readonly key: Sha256 | null; readonly segment: RenderedSegment }[],
  frames: readonly number[],
  renderStills: (frames: readonly number[]) => Promise<readonly SegmentStill[]>,
): Promise<RenderedSegment[]> {
  const missing: number[] = [];
  const finding = segments.map(async ({ key, segment }) => {
    const { first, end, stills } = segment;
    const ownFrames = frames.filter((frame) => frame >= first && frame < end);
    const lacking = ownFrames.filter((frame) => stills.every((still) => still.frame !== frame));
    const cached = lacking.map(async (frame) => {
      const bytes = key === null ? null : await cache.find<Uint8Array>(stillKey(key, frame));
      if (bytes !== null) return [{ frame, bytes }];
      missing.push(frame);
      return [];
    });
    return { key, segment: { ...segment, stills: [...stills, ...(await Promise.all(cached)).flat()] } };
  });
  const found = await Promise.all(finding);
  const drawn = missing.length === 0 ? [] : await renderStills(missing.sort((a, b) => a - b));
  const complete: RenderedSegment[] = [];
  for (const { key, segment } of found) {
    const drawnStills = drawn.filter(({ frame }) => frame >= segment.first && frame < segment.end);
    if (key !== null) await storeStills(cache, key, drawnStills);
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
  const found = key === null ? null : await cache!.find<{ track: AudioTrack | null }>(key);
  if (found !== null) return { ...(await render(null)), track: found.track };
  const sound = await render(codec);
  if (key !== null) await cache!.keep(key, { track: sound.track });
  return sound;
}
