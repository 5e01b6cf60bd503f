import { givesWay } from '../../contract/video-spec.ts';
import { type Diagnostic, warningAt } from '../../kernel/diagnostic.ts';
import { didYouMean, formatList } from '../../kernel/hints.ts';
import type { LocateScene } from './timeline-diagnostics.ts';
import type { Video, VideoSound } from './video.ts';

type Tracks = ReadonlyMap<string, VideoSound>;

/** Reports what tracks want and cannot have, as far as it does not depend on their sounds. */
export function trackFindings({ scenes, audio }: Pick<Video, 'scenes' | 'audio'>, locate: LocateScene): Diagnostic[] {
  const places = [{ id: null, audio }, ...scenes].filter(({ audio: tracks }) => tracks.size > 0);
  const unknown = places.flatMap(({ id: place, audio: tracks }) => {
    const near = places.filter(({ id }) => givesWay(place, id)).flatMap((speaking) => [...speaking.audio.keys()]);
    return unknownSpeakers(tracks, [...new Set(near)], (name) => locate(place, 'audio', name));
  });
  return [...unknown, ...uselessOverruns(audio, (name) => locate(null, 'audio', name))];
}

type LocateTrack = (name: string) => Diagnostic['at'];

/** A condition may have left out the track, so that this is no error. */
function unknownSpeakers(tracks: Tracks, known: readonly string[], locate: LocateTrack): Diagnostic[] {
  return [...tracks].flatMap(([name, { transform }]) => {
    const missing = (transform.duck_under?.split(',') ?? []).filter((speaker) => !known.includes(speaker));
    return missing.map((speaker) => {
      const hint = didYouMean(speaker, known) ?? `The tracks are ${formatList(known)}`;
      const message = `The track ${name} is lowered under ${speaker}, but there is no such track`;
      return warningAt('track_unknown', locate(name), message, hint);
    });
  });
}

/** A track of the whole video ends with it. */
function uselessOverruns(tracks: Tracks, locate: LocateTrack): Diagnostic[] {
  const useless = [...tracks].filter(([, { transform }]) => transform.overrun === true);
  return useless.map(([name]) => {
    const message = `The track ${name} is a track of the whole video, so that "overrun" has no effect`;
    return warningAt('overrun_useless', locate(name), message, 'Remove it, or move the track to a scene');
  });
}
