/** Length of a video: a number of whole frames, of which `rate` are shown in a second. */
export interface VideoLength {
  /** Integer, > 0. */
  readonly frames: number;
  /** Frames per second, finite, > 0. */
  readonly rate: number;
}

/** Size and length of a video before its outputs, which sample its frames. */
export interface VideoMeasures extends VideoLength {
  /** Pixels; both even. */
  readonly width: number;
  readonly height: number;
}

/** Returns a length in seconds. */
export function secondsOf({ frames, rate }: VideoLength): number {
  return frames / rate;
}

/** Length of a sound as it is heard: decoded, without the delay and the padding of its encoder. */
export interface SoundLength {
  /** Samples of a channel: integer, > 0. */
  readonly samples: number;
  /** Samples per second: integer, > 0. */
  readonly rate: number;
}

/** Observed lengths of sounds by repository-relative path or URL; null for a sound whose length is not known. */
export type SoundLengths = (location: string) => SoundLength | null;
