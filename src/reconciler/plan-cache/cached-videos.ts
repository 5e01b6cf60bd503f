import type { DesiredVideo } from '../plan/desired-video.ts';

/** Encodes the videos of a definition as JSON. Leaves out properties that most videos do not have. */
export function encodeVideos(videos: readonly DesiredVideo[]): string {
  return JSON.stringify(
    videos.map(({ scenes, audio, inputs, output, deliver, ...video }) => ({
      inputs: inputs(),
      scenes: scenes.map(({ resources, audio: tracks, fonts, ...scene }) => ({
        resources: [...resources],
        ...scene,
        ...encodedMap('audio', tracks),
        ...encodedMap('fonts', fonts),
      })),
      ...video,
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

type EncodedVideo = Omit<DesiredVideo, 'scenes' | 'audio' | 'inputs' | 'output' | 'deliver'> & {
  readonly scenes: readonly EncodedScene[];
  readonly inputs: ReturnType<DesiredVideo['inputs']>;
  readonly audio?: [string, never][];
  readonly output?: DesiredVideo['output'];
  readonly deliver?: DesiredVideo['deliver'];
};

/** Decodes the videos of a definition. */
export function decodeVideos(text: string): DesiredVideo[] {
  const videos = JSON.parse(text) as EncodedVideo[];
  return videos.map(({ scenes, audio = [], inputs, output = null, deliver = [], ...video }) => ({
    scenes: scenes.map(({ resources, audio: tracks = [], fonts = [], ...scene }) => ({
      resources: new Map(resources),
      audio: new Map(tracks),
      fonts: new Map(fonts),
      ...scene,
    })),
    audio: new Map(audio),
    inputs: () => inputs,
    output,
    deliver,
    ...video,
  }));
}
