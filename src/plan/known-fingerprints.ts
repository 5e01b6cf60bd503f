import { fingerprintDigits } from '../definition/destinations.ts';
import type { Sha256 } from '../digest.ts';
import type { Fingerprint, Lock, LockEntry } from '../lock/lock.ts';
import { compareInputs } from './compare-video.ts';
import { contentAsRecorded } from './describe-inputs.ts';
import type { DesiredVideo } from './desired-video.ts';
import { fingerprintAsWritten } from './fingerprint.ts';
import type { Observations } from './plan.ts';

/**
 * Gives each video the fingerprint under which an earlier version of reelform recorded the same rendering, if there is
 * one.
 *
 * Earlier versions hashed the defaults that a definition repeats, such as `focus_x: 0.5`. Their renderings keep that
 * fingerprint in the lockfile, the journal and the history until the content of the video changes: nothing is rendered
 * or delivered again, and the entry does not change.
 */
export function withKnownFingerprints(
  desired: readonly DesiredVideo[],
  lock: Lock,
  observations: Observations,
): readonly DesiredVideo[] {
  const own = new Map<string, Fingerprint>();
  const known = new Map<Fingerprint, Fingerprint>();
  for (const video of desired) {
    const entry = lock.videos.get(video.id);
    if (entry === undefined || !isSameContent(entry, video)) continue;
    own.set(video.id, entry.fingerprint);
    known.set(video.fingerprint, entry.fingerprint);
  }
  const written = desired.filter(({ id, formerFingerprint }) => formerFingerprint !== undefined && !own.has(id));
  const recorded = written.length === 0 ? null : recordedFingerprints(lock, observations);
  for (const { fingerprint, formerFingerprint } of written) {
    if (recorded?.has(fingerprint) || !recorded?.has(formerFingerprint!)) continue;
    known.set(fingerprint, formerFingerprint!);
  }
  if (known.size === 0) return desired;
  return desired.map((video) => {
    const isCurrent = lock.videos.get(video.id)?.fingerprint === video.fingerprint;
    const former = isCurrent ? undefined : (own.get(video.id) ?? known.get(video.fingerprint));
    return former === undefined ? video : withFingerprint(video, former);
  });
}

/** Checks whether an entry has the content of a video, and another fingerprint only because of written-out defaults. */
function isSameContent(entry: LockEntry, video: DesiredVideo): boolean {
  if (entry.fingerprint === video.fingerprint) return false;
  if (entry.fingerprint === video.formerFingerprint) return true;
  if (entry.service !== video.service || entry.style_version !== video.styleVersion) return false;
  if (compareInputs(entry, video).length > 0) return false;
  // The inputs do not contain the engine or long texts: only the hash is proof.
  const content = contentAsRecorded(video, entry.inputs);
  return fingerprintAsWritten(content, { ...video, assetDigest: digestsOf(video) }) === entry.fingerprint;
}

/** Returns the digests of a video's local files, which its inputs contain. */
export function digestsOf({ resources, audio, inputs }: DesiredVideo): (path: string) => Sha256 {
  const sounds = [...audio].map(([name, sound]) => [`audio.${name}`, sound] as const);
  const digests = new Map<string, Sha256>();
  for (const [key, value] of [...resources, ...sounds]) {
    if (!('source' in value) || value.source.kind === 'url') continue;
    digests.set(value.source.path, inputs[key]!.slice('sha256:'.length).slice(0, 64) as Sha256);
  }
  return (path) => digests.get(path)!;
}

function recordedFingerprints(lock: Lock, { journal, gone = [], history }: Observations): Set<Fingerprint> {
  const attempts = [...(journal?.attempts.values() ?? []), ...gone].filter(({ state }) => state !== 'closed');
  return new Set([
    ...[...lock.videos.values()].map(({ fingerprint }) => fingerprint),
    ...attempts.map(({ intent }) => intent.fingerprint),
    ...(history?.keys() ?? []),
  ]);
}

/** Also replaces the fingerprint in destinations, so that the file goes where the recorded one is. */
function withFingerprint(video: DesiredVideo, fingerprint: Fingerprint): DesiredVideo {
  const [digits, known] = [fingerprintDigits(video.fingerprint), fingerprintDigits(fingerprint)];
  return {
    ...video,
    fingerprint,
    deliver: video.deliver.map((one) => ({ ...one, to: one.to.replaceAll(digits, known) })),
  };
}
