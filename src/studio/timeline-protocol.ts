import type { PreviewProblem } from './problem-protocol.ts';

// The timeline of a video of several scenes: part of a `VideoDetail`.

/** A scene of a video. Frames are those of the picture that the page shows. */
export interface SceneBlock {
  readonly id: string;
  readonly template: string;
  readonly first: number;
  readonly end: number;
  readonly seconds: number;
  /** As the definition has it, such as `4.5` or `content`; null for the natural length. */
  readonly duration: string | null;
  /** The rule that decided the length, in words. */
  readonly why: string;
  /** Null for a cut. */
  readonly transition: { readonly type: string; readonly first: number; readonly end: number } | null;
  readonly written: WrittenScene | null;
  /** Problems of the scene and of its values, which are also those of the card. */
  readonly problems: readonly PreviewProblem[];
}

/** A track of a video or of a scene. Times are in seconds of the video. */
export interface SoundBlock {
  readonly name: string;
  /** Id of its scene; null for a track of the video. */
  readonly scene: string | null;
  readonly from: number;
  /** End of the sound, or of the time in which it can be heard if that is earlier. */
  readonly to: number;
  /** Length of its end that is cut off; null if the length of the sound is not known. */
  readonly cutSeconds: number | null;
  /** Length of a pass of a sound that is repeated; null for other sounds. */
  readonly passSeconds: number | null;
}

/** A scene that a condition leaves out. */
export interface LeftOutScene {
  readonly id: string;
  /** The condition that is not met, in words. */
  readonly reason: string;
}

/** A scene as the definition has it. */
export interface WrittenScene {
  /** In the list of scenes. */
  readonly index: number;
  /** True if it stands for each row of data. */
  readonly isEach: boolean;
  /** The file of its rows if it can be edited as a table; null for other rows. */
  readonly rows: string | null;
}
