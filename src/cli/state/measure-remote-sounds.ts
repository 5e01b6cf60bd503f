import pLimit from 'p-limit';
import type { ProbeUrl } from '../../contract/urls.ts';
import type { SoundLength, SoundLengths } from '../../contract/video-measures.ts';
import { SOUND_EPOCH } from '../../engine/render-epoch.ts';
import { RenderError } from '../../engine/render-error.ts';
import { defined } from '../../kernel/defined.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { contentSounds, locationOf } from '../../reconciler/definition/video-timeline.ts';
import { openSoundLengthCache } from '../../reconciler/project/sound-length-cache.ts';
import { displayUrl } from '../../report/wording/display-text.ts';
import { SessionFailure, type SourceReader, type TenantId } from '../../service/sessions/ports.ts';
import type { TaskRunner } from '../../service/sessions/processes/tasks.ts';

/** Number of sounds that are fetched in parallel. */
const CONCURRENCY = 8;

/** Owner of all sources: a command has a single user. */
const SELF = 'lengths' as TenantId;

interface RemoteOptions {
  /** Of the repository, absolute. */
  readonly root: string;
  readonly probeUrl: ProbeUrl;
  readonly sources: SourceReader;
  /** Opens the processes that decode. @throws ReelformError `engine_missing` */
  readonly openPool: () => Promise<TaskRunner<'length'>>;
}

/** Length of a sound, or why it could not be measured. */
export type MeasuredSound = { readonly length: SoundLength } | { readonly error: ReelformError };

/** Measures remote sounds. @returns lengths by URL */
export type MeasureRemote = (urls: readonly string[]) => Promise<ReadonlyMap<string, MeasuredSound>>;

/** Returns the URLs of the sounds that decide how long the scenes of a video are, without duplicates. */
export function remoteSounds(video: ContentVideo): string[] {
  return [...new Set(contentSounds(video).flatMap(({ source }) => (source.kind === 'url' ? [source.url] : [])))];
}

/** Returns the tracks whose sounds could not be measured. */
export function failedSounds(
  video: ContentVideo,
  measured: ReadonlyMap<string, MeasuredSound>,
): { readonly scene: string; readonly name: string; readonly error: ReelformError }[] {
  return contentSounds(video).flatMap(({ scene, name, source }) => {
    const sound = measured.get(locationOf(source));
    return sound !== undefined && 'error' in sound ? [{ scene: scene.id, name, error: sound.error }] : [];
  });
}

type ContentVideo = Parameters<typeof contentSounds>[0];

/** Adds measured lengths to those that are known. A sound that could not be measured has none. */
export function withMeasured(measured: ReadonlyMap<string, MeasuredSound>, known: SoundLengths): SoundLengths {
  return (location) => {
    const sound = measured.get(location);
    if (sound === undefined) return known(location);
    return 'length' in sound ? sound.length : null;
  };
}

/**
 * Measures remote sounds. Decodes only a version that no earlier run has measured. Each length is stored as soon as it is known, so that
 * an interrupted run loses nothing.
 *
 * @returns the lengths by URL
 */
export async function measureRemoteSounds(
  urls: readonly string[],
  { root, probeUrl, sources, openPool }: RemoteOptions,
): Promise<ReadonlyMap<string, MeasuredSound>> {
  const cache = openSoundLengthCache(root, SOUND_EPOCH, true);
  const signal = new AbortController().signal;
  const storing = pLimit(1);

  const decode = async (url: string): Promise<SoundLength> => {
    const { bytes, sha256 } = await sources.read(SELF, { remoteUrl: url, kind: 'audio' }, signal);
    const known = cache.get(sha256);
    if (known !== undefined) return known;
    const length = await (await openPool()).run('length', { name: displayUrl(url) }, { bytes });
    cache.set(sha256, length);
    return length;
  };
  const measure = async (url: string): Promise<MeasuredSound> => {
    const probe = await probeUrl(url, signal);
    const version = probe.kind === 'there' ? probe.validator : null;
    const known = cache.getRemote(url);
    if (version !== null && known?.version === version) return { length: known.length };
    try {
      const length = await decode(url);
      cache.setRemote(url, { length, version });
      await storing(() => cache.store());
      return { length };
    } catch (error) {
      return { error: unmeasured(url, error) };
    }
  };
  const limit = pLimit(CONCURRENCY);
  return new Map(await Promise.all(urls.map((url) => limit(async () => [url, await measure(url)] as const))));
}

/** @throws errors that are not about the sound */
function unmeasured(url: string, error: unknown): ReelformError {
  const isEngineMissing = error instanceof ReelformError && error.code === 'engine_missing';
  if (!isEngineMissing && !(error instanceof SessionFailure) && !(error instanceof RenderError)) throw error;
  const isFetched = error instanceof RenderError || (error instanceof SessionFailure && isAboutContent(error));
  const message = `The length of ${displayUrl(url)} cannot be measured: ${error.message}`;
  const hint = isFetched
    ? 'Export the sound again, or set "duration" of its scene to seconds'
    : isEngineMissing
      ? (error as ReelformError).hint
      : 'Check the address, or try again later';
  return new ReelformError(isFetched ? 'sound_unreadable' : 'content_unknown', message, defined({ hint }));
}

function isAboutContent({ error }: SessionFailure): boolean {
  return error.code === 'asset_decode_failed' || error.code === 'asset_type_unsupported';
}
