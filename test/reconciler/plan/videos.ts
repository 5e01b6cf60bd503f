import fc from 'fast-check';
import type { SceneSpec } from '../../../src/contract/video-spec.ts';
import type { AudioTransform, Transform } from '../../../src/contract/wire/mapping.ts';
import { sha256 } from '../../../src/kernel/digest.ts';
import type {
  Source,
  Video,
  VideoDestination,
  VideoId,
  VideoResource,
  VideoSound,
} from '../../../src/reconciler/definition/video.ts';
import type { Lock, LockRendering } from '../../../src/reconciler/lock/lock.ts';
import { type DesiredVideo, desiredVideo, type RenderingContext } from '../../../src/reconciler/plan/desired-video.ts';
import { editLock, lockEdits } from '../../../src/reconciler/plan/lock-edits.ts';
import type { Observations, Plan } from '../../../src/reconciler/plan/plan.ts';
import { planVideos } from '../../../src/reconciler/plan/plan-videos.ts';
import type { SavedDemands } from '../../../src/reconciler/plan/saved-plan.ts';

export const text = (value: string): VideoResource => ({ kind: 'text', text: value });
export const color = (value: string): VideoResource => ({ kind: 'color', color: value });
export const file = (path: string): VideoResource => ({
  kind: 'image',
  source: { kind: 'file', path },
  transform: { crop_strategy: 'cover' },
});
export const url = (address: string): VideoResource => ({
  kind: 'image',
  source: { kind: 'url', url: address },
  transform: { crop_strategy: 'cover' },
});

export const clip = (path: string, transform: Transform = { crop_strategy: 'cover' }): VideoResource => ({
  kind: 'video',
  source: { kind: 'file', path },
  transform,
});
export const track = (path: string, transform: AudioTransform = {}): VideoSound => ({
  source: { kind: 'file', path },
  transform,
});
export const sound = (path: string, transform: AudioTransform = {}): VideoResource => ({
  kind: 'audio',
  ...track(path, transform),
});
export const font = (name: string): VideoResource => ({ kind: 'font', font: name });

/** Fields of a video, and of its only scene. */
export type VideoParts = Partial<Omit<Video, 'id' | 'scenes'>> &
  Partial<Pick<SceneSpec<Source>, 'template' | 'fonts'>> & { resources?: Record<string, VideoResource> };

/** The style versions of the templates of the videos below. */
export const versions = (id: string): RenderingContext['styleVersions'] => ({ launch: id, story: id, renamed: id });

export function video(id: string, parts: VideoParts = {}): Video {
  const { template = 'launch', fonts = new Map(), resources = { t_01: text('Hello') }, ...fields } = parts;
  return {
    id: id as VideoId,
    path: `videos/${id}.yaml`,
    title: `The video ${id}`,
    description: null,
    labels: {},
    protect: false,
    scenes: [{ id: template, template, resources: new Map(Object.entries(resources)), fonts, audio: new Map() }],
    audio: new Map(),
    output: null,
    deliver: [],
    ...fields,
  };
}

/** Measures of a small video of this length; unknown measures for null. */
export function lasting(seconds: number | null): Pick<RenderingContext, 'measures'> {
  const rate = 10;
  return { measures: seconds === null ? null : { width: 64, height: 36, rate, frames: Math.round(seconds * rate) } };
}

/** The embedded service. The bytes of every file are its path, so that different files differ. */
export const context: RenderingContext = {
  service: 'embedded',
  styleVersions: versions('tsv_9c41'),
  renderEpoch: 1,
  ...lasting(12),
  assetDigest: (path) => sha256(path),
};

export function desired(id: string, parts: VideoParts = {}, changes: Partial<RenderingContext> = {}): DesiredVideo {
  return desiredVideo(video(id, parts), { ...context, ...changes });
}

export const emptyLock: Lock = { videos: new Map(), extra: {} };

export function plan(
  videos: readonly DesiredVideo[],
  lock: Lock,
  missing: readonly string[] = [],
  more: Partial<Observations & SavedDemands> = {},
): Plan {
  const {
    requested = () => false,
    restores = () => true,
    adoptsAbsent = () => false,
    damaged = new Set(),
    ...seen
  } = more;
  const observations = { missingOutputs: new Set(missing), damagedOutputs: damaged, ...seen };
  return planVideos({ desired: videos, lock, observations, requested, restores, adoptsAbsent, allowEmpty: true });
}

/** Returns a rendering as the embedded service would record it. */
export function rendering(id: string): LockRendering {
  return {
    session: `rs_${id}`,
    video_url: `renders/${id}.mp4`,
    thumbnails: [`renders/${id}.stillcut_01.jpg`],
    rendered_at: '2026-01-01T00:00:00.000Z',
  };
}

/** Returns the lock after applying a plan. */
export function applied(lock: Lock, done: Plan): Lock {
  return editLock(
    lock,
    done.changes.map((change) => lockEdits(change, rendering(change.id), placesOf(change))),
  );
}

/** Returns the deliveries of a change, all completed. */
function placesOf({ destinations }: Plan['changes'][number]): { to: string }[] {
  return destinations.flatMap(({ kind, to }) => (kind === 'deliver' ? [{ to }] : []));
}

/** Returns the lock of a repository in which all of these videos were rendered. */
export const lockOf = (...videos: DesiredVideo[]): Lock => applied(emptyLock, plan(videos, emptyLock));

export const place = (to: string): VideoDestination => ({ to, credential: null });

const value = fc.oneof(
  fc.constantFrom('Hello', 'World', 'x'.repeat(201), `sha256:${'0'.repeat(64)}`).map(text),
  fc.constantFrom('EEADA7', '000000').map(color),
  fc.constantFrom('images/a.jpg', 'images/b.jpg').map(file),
  fc.constantFrom(clip('a.mp4'), clip('a.mp4', { crop_strategy: 'cover', volume: 1 }), sound('a.mp3'), font('A')),
  fc.constantFrom('https://example.com/a.jpg', 'https://example.com/b.jpg').map(url),
);

/** Few ids and few values, so that moves, copies, swaps and repeats are common. */
const anyDesired = fc
  .record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'stores/a', '__proto__', '10', '9'),
    parts: fc.record({
      title: fc.constantFrom('One', 'Two'),
      template: fc.constantFrom('launch', 'story'),
      labels: fc.constantFrom<Record<string, string>>({}, { region: 'eu' }, { region: 'us', brand: 'x' }),
      protect: fc.boolean(),
      resources: fc.dictionary(fc.constantFrom('t_01', 'c_01', '__proto__', '7'), value, { maxKeys: 2 }),
      audio: fc.constantFrom(new Map(), new Map(), new Map([['main', track('a.mp3')]])),
      fonts: fc.constantFrom(new Map(), new Map(), new Map([['A', 'B']])),
      output: fc.constantFrom(null, null, { format: 'gif' as const }),
      deliver: fc.subarray(['s3://videos/', 's3://videos/{title}/{id}', 'file:{fingerprint}'].map(place)),
    }),
    changes: fc.constantFrom<Partial<RenderingContext>>(
      {},
      {},
      { renderEpoch: 2 },
      { styleVersions: versions('tsv_2') },
      { service: 'https://api.example.com', renderEpoch: null, ...lasting(null) },
    ),
  })
  .map(({ id, parts, changes }) => desired(id, parts, changes));

const anyVideos = fc.uniqueArray(anyDesired, { selector: (video) => video.id, maxLength: 8 });

/** A repository: the rendered videos, the wanted ones, and the missing outputs. */
export const anyWorld = fc.record({ was: anyVideos, is: anyVideos, kept: fc.boolean() }).chain(({ was, is, kept }) =>
  fc.record({
    lock: fc.constant(lockOf(...was)),
    // Half of the worlds keep most of their videos, because changes are rare in practice.
    videos: fc.constant(kept ? [...is, ...was.filter((old) => !is.some(({ id }) => id === old.id))] : is),
    missing: fc.subarray(was.map(({ id }) => id as string)),
  }),
);
