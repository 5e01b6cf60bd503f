import type { DesiredVideo } from '../plan/desired-video.ts';

/** Encodes the videos of a definition as JSON. Leaves out properties that most videos do not have. */
export function encodeVideos(videos: readonly DesiredVideo[]): string {
  return JSON.stringify(
    videos.map(({ audio, fonts, output, deliver, ...video }) => ({
      ...video,
      resources: [...video.resources],
      ...(audio.size > 0 && { audio: [...audio] }),
      ...(fonts.size > 0 && { fonts: [...fonts] }),
      ...(output !== null && { output }),
      ...(deliver.length > 0 && { deliver }),
    })),
  );
}

type EncodedVideo = Omit<DesiredVideo, 'resources' | 'audio' | 'fonts' | 'output' | 'deliver'> & {
  readonly resources: [string, never][];
  readonly audio?: [string, never][];
  readonly fonts?: [string, string][];
  readonly output?: DesiredVideo['output'];
  readonly deliver?: DesiredVideo['deliver'];
};

/** Decodes the videos of a definition. */
export function decodeVideos(text: string): DesiredVideo[] {
  return (JSON.parse(text) as EncodedVideo[]).map(
    ({ audio = [], fonts = [], output = null, deliver = [], ...video }) => ({
      ...video,
      resources: new Map(video.resources),
      audio: new Map(audio),
      fonts: new Map(fonts),
      output,
      deliver,
    }),
  );
}
