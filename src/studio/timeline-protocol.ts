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
  /** Name of its graph in `SoundGraphs`. */
  readonly graph: string;
  readonly from: number;
  /** End of the sound, or of the time in which it can be heard if that is earlier. */
  readonly to: number;
  /** Length of its end that is cut off; null if the length of the sound is not known. */
  readonly cutSeconds: number | null;
  /** Length of a pass of a sound that is repeated; null for other sounds. */
  readonly passSeconds: number | null;
  /** Values of `TRACK_FIELDS` that the definition sets, by name. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
  /** Null for a track that is no speech. */
  readonly speech: SpeechText | null;
  /** Keys of the track from the top of the definition; null for a track that has to be edited in its file. */
  readonly path: readonly string[] | null;
}

/** The text of a track that a voice speaks. */
export interface SpeechText {
  /** As the definition has it now, which may not be spoken yet; columns are not filled in. */
  readonly text: string;
  readonly voice: string;
  /** Whether columns fill the text, which then is edited where they are. */
  readonly isFilled: boolean;
  /** Whether the sound is that of an earlier text. */
  readonly isMissing: boolean;
}

/** A cue of the captions of a video or of a scene. */
export interface CueBlock {
  /** Id of its scene; null for captions of the video. */
  readonly scene: string | null;
  /** Seconds of the video from which its times count. */
  readonly origin: number;
  /** Seconds of the video at which its scene or the video ends, and the cue too. */
  readonly limit: number;
  readonly start: number;
  readonly end: number;
  /** Lines are separated by line feeds. */
  readonly text: string;
  readonly speaker?: string;
  /** Whether the times of its words are known. */
  readonly hasWords: boolean;
  /** Null for a cue that is made from words or columns. */
  readonly at: CuePosition | null;
  /** Problems of the cue, which are also those of the card. */
  readonly problems: readonly PreviewProblem[];
}

/** Names a cue in the text of its file. */
export interface CuePosition {
  /** Repository-relative. */
  readonly path: string;
  readonly position: number;
}

/** The sounds of a video as they are heard, in columns of equal length over the whole video. */
export interface SoundGraphs {
  /** Number of columns of the video. */
  readonly columns: number;
  readonly sounds: readonly SoundGraph[];
}

export interface SoundGraph {
  readonly name: string;
  /** Decibels of its volume or level, without fades and ducking; null for a volume of 0. */
  readonly gain: number | null;
  /** Loudness as it is heard, in LUFS; null for silence. */
  readonly loudness: number | null;
  /** Column in which it starts. */
  readonly firstColumn: number;
  /** Largest absolute value in each column; 255 is full scale. */
  readonly peaks: readonly number[];
  /** Decibels by which fades and ducking lower it at the end of each column. */
  readonly curve: readonly number[];
}

/** The finished sound of a video, as players decode it. */
export interface MixGraph {
  /** Largest absolute value in each column, of which there are as many as in `SoundGraphs`; 255 is full scale. */
  readonly peaks: readonly number[];
  /** Seconds from one step to the next. */
  readonly stepSeconds: number;
  /** At the end of each step. */
  readonly steps: readonly LoudnessReading[];
  readonly whole: LoudnessReading & {
    /** Difference between quiet and loud parts, in LU. */
    readonly range: number;
  };
  /** What the definition asks for; null if it does not. */
  readonly target: { readonly loudness: number; readonly truePeak: number } | null;
}

/** Loudness in LUFS and true peak in dBTP, rounded to a tenth; null for silence. */
export interface LoudnessReading {
  readonly momentary: number | null;
  readonly shortTerm: number | null;
  /** From the start, as is the true peak. */
  readonly integrated: number | null;
  readonly truePeak: number | null;
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
