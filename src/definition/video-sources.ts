import type { Source, Video } from './video.ts';

type Made = Pick<Video, 'resources' | 'audio'>;

/** The files of the repository that a video is made from, each once. */
export function localFiles(video: Made): string[] {
  return [...new Set(sourcesOf(video).flatMap((source) => (source.kind === 'file' ? [source.path] : [])))];
}

/** The URLs that a video is made from, each once. */
export function remoteUrls(video: Made): string[] {
  return [...new Set(sourcesOf(video).flatMap((source) => (source.kind === 'url' ? [source.url] : [])))];
}

/**
 * Where that comes from which a service names by a key; `null` where it comes from no file and no URL.
 *
 * @param key of an editable, or `audio_tracks.` and the name of a track
 */
export function sourceOf(video: Made, key: string): Source | null {
  const resource = video.resources.get(key);
  if (resource !== undefined) return 'source' in resource ? resource.source : null;
  const track = /^audio_tracks\.(.*)$/s.exec(key)?.[1];
  return (track === undefined ? undefined : video.audio.get(track))?.source ?? null;
}

function sourcesOf({ resources, audio }: Made): Source[] {
  return [...resources.values(), ...audio.values()].flatMap((one) => ('source' in one ? [one.source] : []));
}
