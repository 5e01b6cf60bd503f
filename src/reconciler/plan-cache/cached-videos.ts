import type { DesiredVideo } from '../plan/desired-video.ts';

/** Encodes the videos of a definition as JSON. Leaves out properties that most videos do not have. */
export function encodeVideos(videos: readonly DesiredVideo[]): string {
  return JSON.stringify(
    videos.map(({ scenes, audio, output, deliver, ...video }) => ({
      ...video,
      scenes: scenes.map(({ resources, audio: tracks, fonts, ...scene }) => ({
        ...scene,
        resources: [...resources],
        ...encodedMap('audio', tracks),
        ...encodedMap('fonts', fonts),
      })),
      ...encodedMap('audio', audio),
      ...(output !== null && { output }),
      ...(deliver.length > 0 && { deliver }),
    })),
  );
}

/** Leaves out an empty map. */
function encodedMap(name: string, map: ReadonlyMap<string, unknown>): object {
  return map.size === 0 ? {} : { [name]: [...map] };
}

type EncodedScene = Omit<DesiredVideo['scenes'][number], 'resources' | 'audio' | 'fonts'> & {
  readonly resources: [string, never][];
  readonly audio?: [string, never][];
  readonly fonts?: [string, string][];
};

type EncodedVideo = Omit<DesiredVideo, 'scenes' | 'audio' | 'output' | 'deliver'> & {
  readonly scenes: readonly EncodedScene[];
  readonly audio?: [string, never][];
  readonly output?: DesiredVideo['output'];
  readonly deliver?: DesiredVideo['deliver'];
};

/** Decodes the videos of a definition. */
export function decodeVideos(text: string): DesiredVideo[] {
  return (JSON.parse(text) as EncodedVideo[]).map(({ scenes, audio = [], output = null, deliver = [], ...video }) => ({
    ...video,
    scenes: scenes.map(({ resources, audio: tracks = [], fonts = [], ...scene }) => ({
      ...scene,
      resources: new Map(resources),
      audio: new Map(tracks),
      fonts: new Map(fonts),
    })),
    audio: new Map(audio),
    output,
    deliver,
  }));
}
