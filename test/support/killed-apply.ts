import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openJournal } from '../../src/cli/state/open-journal.ts';
import { timingOf } from '../../src/contract/timeline/place.ts';
import { plainScene } from '../../src/contract/video-spec.ts';
import { sha256 } from '../../src/kernel/digest.ts';
import { applyPlan } from '../../src/reconciler/apply/apply-plan.ts';
import type { RunClock } from '../../src/reconciler/apply/session-watcher.ts';
import type { Video } from '../../src/reconciler/definition/video.ts';
import type { SceneTimeline } from '../../src/reconciler/definition/video-templates.ts';
import { type TimelineTemplate, timelineOf } from '../../src/reconciler/definition/video-timeline.ts';
import { LockFile, readLock } from '../../src/reconciler/lock/lock-file.ts';
import { type DesiredVideo, desiredVideo } from '../../src/reconciler/plan/desired-video.ts';
import { planVideos } from '../../src/reconciler/plan/plan-videos.ts';
import type { JournalConfig } from '../../src/reconciler/project/config.ts';
import { LOCK_FILE } from '../../src/reconciler/project/repository-layout.ts';
import { writeFileAtomic } from '../../src/reconciler/project/write-file.ts';
import { createHttpService } from '../../src/reconciler/service-client/http-service.ts';
import { templateFacts } from '../../src/template/video-measures.ts';
import { textVideo } from './text-video.ts';

/**
 * Options of a program to be killed, which does what `reelform apply --auto-approve` does after reading the
 * definitions, with the same modules. Takes the JSON of these options as its argument. Prints `begun` before the first
 * action, then each event; exits with 4 if a video failed.
 */
export interface KilledApplyOptions {
  readonly root: string;
  readonly url: string;
  readonly journal: JournalConfig;
  readonly titles: readonly string[];
  /** Whether reelform.yaml says that the service keeps keys. */
  readonly keepsKeys: boolean;
  /** Factor by which its clock runs fast from this moment on. */
  readonly speed: number;
  readonly epochMs: number;
}

const {
  root,
  url,
  journal: config,
  titles,
  keepsKeys,
  speed,
  epochMs,
} = JSON.parse(process.argv[2]!) as KilledApplyOptions;
const now = (): number => epochMs + (Date.now() - epochMs) * speed;
const clock: RunClock = {
  now,
  monotonicNow: now,
  wait: async (milliseconds, signal) => {
    await setTimeout(milliseconds / speed, undefined, { signal });
  },
};
/** Every other video has a second scene. */
const videos = titles.map((title, index): Video => {
  const video = { ...textVideo(`video-${index}`, title), title };
  const [only] = video.scenes;
  const transition = { type: 'fade', duration: 0.3 } as const;
  return index % 2 === 0 ? video : { ...video, scenes: [only!, { ...only!, id: 'second', duration: 2, transition }] };
});
const template = { width: 64, height: 36, fps: 10, frameCount: 10, stills: [], spec: { id: 'tsv_1', editables: {} } };
const timing = timingOf(templateFacts(template as unknown as TimelineTemplate));
const timelines = (video: DesiredVideo): SceneTimeline | null => {
  if (plainScene(video) !== null) return null;
  const resolved = timelineOf(video, new Map([['small', template as unknown as TimelineTemplate]]), () => null);
  return { timeline: resolved!.timeline!, timing: { small: timing } };
};

const lock = await readLock(join(root, LOCK_FILE), LOCK_FILE);
if (!lock.ok) throw new Error(lock.diagnostics[0]?.message);
const journal = await openJournal(root, { journal: config });
const http = createHttpService({
  url,
  token: 'rf_token',
  ...(keepsKeys && { capabilities: { keyLifetimeMs: 86_400_000 } }),
  keyLifetimeMs: journal.state.services.get(url)?.keyLifetimeMs ?? null,
  // The service runs on real time.
  now: Date.now,
  monotonicNow: () => performance.now(),
  wait: (milliseconds) => clock.wait(milliseconds),
  random: Math.random,
  timeoutMs: 5_000,
});
const context = {
  service: http.name,
  styleVersions: { small: 'tsv_1' },
  renderEpoch: null,
  measures: null,
  assetDigest: () => sha256(''),
};
const plan = planVideos({
  desired: videos.map((video) => desiredVideo(video, context)),
  lock: lock.value,
  observations: { missingOutputs: new Set(), journal: journal.state },
});
const lockFile = new LockFile(join(root, LOCK_FILE), LOCK_FILE, lock.value, writeFileAtomic);
console.log('begun');
const outcome = await applyPlan({
  plan,
  digestOf: () => undefined,
  service: http,
  concurrency: 3,
  signal: new AbortController().signal,
  detach: new AbortController().signal,
  deadlineMs: null,
  failFast: false,
  run: randomUUID(),
  onEvent: ({ kind }) => console.log(kind),
  ports: {
    updateLock: (change) => lockFile.update(change),
    journal,
    writeCaptions: async () => undefined,
    deliverCaptions: async (_, { to }) => ({ to }),
    timelineOf: timelines,
    ensureStyleVersion: async () => undefined,
    probeUrl: async () => ({ kind: 'there', validator: null }),
    readSource: async () => new Uint8Array(),
    clock,
    newKey: () => randomUUID(),
  },
});
await journal.compact(await lockFile.update((present) => present));
await journal.close();
process.exitCode = outcome.failed.length + outcome.unknown.length > 0 ? 4 : 0;
