import type { SoundLength } from '../../../contract/video-measures.ts';
import type { SoundMeasures } from '../../../contract/wire/loudness.ts';
import type { AudioCodec } from '../../../engine/codec/encoded-track.ts';
import type { EncoderChoice } from '../../../engine/codec/video-encoder.ts';
import type { LottieFile } from '../../../engine/export/lottie-file.ts';
import type { FrameRange } from '../../../engine/frame-rate.ts';
import type { RenderedSound } from '../../../engine/input-media.ts';
import type { FontWeight } from '../../../engine/inspect/inspect-package.ts';
import type { KeptSound } from '../../../engine/lint/heard-sounds.ts';
import type { KeptFrame } from '../../../engine/lint/measured-frames.ts';
import type { LintFinding } from '../../../engine/lint-finding.ts';
import type { MixWaveform, SoundWaveform } from '../../../engine/media/waveform.ts';
import type { AnyRenderInput } from '../../../engine/packed-input.ts';
import { type Failure, RenderError } from '../../../engine/render-error.ts';
import type { RenderedFile } from '../../../engine/rendered-file.ts';
import type { RenderedSegment, SegmentStill, SpooledSegments } from '../../../engine/segments/rendered-segment.ts';
import type { ComparedStill, StillComparison } from '../../../engine/stills/compare-stills.ts';
import type { StillImage } from '../../../engine/stills/draw-stills.ts';
import type { FontToOpen } from '../../../engine/text/open-font.ts';
import type { SourceBytes } from '../../../kernel/source-file.ts';
import type { SafeAreaName } from '../../../template/lint-severities.ts';
import type { InputFile, RenderOutput } from '../../../template/render-input.ts';
import type { BindInput, BoundInput } from '../bind-template.ts';
import type { RenderOptions, SourceKind } from '../ports.ts';
import type { CacheKeys, KeyRequest } from '../segment-keys.ts';
import type { SourceDescription } from '../sources/describe-source.ts';
import type { PackageAnswer, PackageAspect } from '../sources/inspect-package.ts';

/** Name prefix of the only folder that a render process may write to. */
export const FOLDER_PREFIX = 'reelform-render-';

/** Processors that lint of a single video uses at once: one looks for flashes. */
export const LINT_THREADS = 2;

/** What a process is started for: videos need an encoder, and lint code that other threads do not load. */
export type ProcessPurpose = 'videos' | 'pictures' | 'lint';

/** What a process loads when it starts, as its argument in JSON, while its parent prepares a task. */
export interface Preparation {
  /** Number of drawing threads. */
  readonly threads: number;
  readonly purpose: ProcessPurpose;
}

/** Input and output of each task that a render process runs. A task is added here and in `render-process.ts`. */
interface RenderTasks {
  /** Renders an input's file, from its frames to the last byte. */
  readonly video: { readonly input: AnyRenderInput; readonly output: RenderedFile };
  /** Renders several files of an input that share a drawing, see `renderOutputs`. */
  readonly files: {
    readonly input: { readonly renderInput: AnyRenderInput; readonly outputs: readonly RenderOutput[] };
    readonly output: readonly RenderedFile[];
  };
  /**
   * Renders segments for outputs that share a drawing: for each range, the segment of each output. With more than one processor, the
   * ranges are encoded at once.
   */
  readonly segments: {
    readonly input: {
      readonly renderInput: AnyRenderInput;
      readonly outputs: readonly RenderOutput[];
      readonly ranges: readonly FrameRange[];
    };
    readonly output: readonly (readonly RenderedSegment[])[];
  };
  /** Draws frames as the stills of segments that are rendered already. */
  readonly frames: {
    readonly input: { readonly renderInput: AnyRenderInput; readonly frames: readonly number[] };
    readonly output: readonly SegmentStill[];
  };
  /** Examines an input's clips and sounds, and renders its sound unless `codec` is null. */
  readonly sound: {
    readonly input: { readonly renderInput: AnyRenderInput; readonly codec: AudioCodec | null };
    readonly output: RenderedSound;
  };
  /** Measures the sounds of an input as they are mixed. */
  readonly soundWaveforms: {
    readonly input: { readonly renderInput: AnyRenderInput };
    readonly output: readonly SoundWaveform[];
  };
  /** Renders the sound of an input, and measures what players decode; null for silence. */
  readonly mixWaveform: {
    readonly input: { readonly renderInput: AnyRenderInput; readonly codec: AudioCodec };
    readonly output: MixWaveform | null;
  };
  /** Computes the keys under which an input's segments and sound are cached. */
  readonly keys: { readonly input: KeyRequest; readonly output: CacheKeys };
  /** Joins all segments of an input's video. */
  readonly join: {
    readonly input: {
      readonly renderInput: InputFile;
      readonly segments: SpooledSegments;
      readonly sound: RenderedSound;
    };
    readonly output: RenderedFile;
  };
  /** Writes a video as a Lottie document. */
  readonly lottie: { readonly input: AnyRenderInput; readonly output: LottieFile };
  /** Draws an input's stills without its video, as PNG, in the input's order. */
  readonly stills: { readonly input: AnyRenderInput; readonly output: readonly StillImage[] };
  /** Draws the stills of two inputs and compares them. */
  readonly compare: { readonly input: StillComparison; readonly output: readonly ComparedStill[] };
  /** Finds what a viewer would notice in an input. Uses up to `LINT_THREADS` processors. */
  readonly lint: {
    readonly input: {
      readonly renderInput: AnyRenderInput;
      readonly safeAreas: readonly (SafeAreaName | null)[];
      /** Frames and sounds that the same program has measured, which are not measured again. */
      readonly measured?: readonly KeptFrame[];
      readonly heard?: readonly KeptSound[];
      /** True if the process will lint no similar input, so that it keeps nothing for it. */
      readonly isLast?: boolean;
    };
    readonly output: {
      readonly findings: readonly LintFinding[];
      /** The measured frames and sounds of the input. */
      readonly measured: readonly KeptFrame[];
      readonly heard: readonly KeptSound[];
      /** What was measured of the mix; null if it was not. */
      readonly loudness: SoundMeasures | null;
    };
  };
  /** Reads the structure of an image, a clip or a sound. */
  readonly source: { readonly input: { readonly kind: SourceKind | 'any' }; readonly output: SourceDescription };
  /** Measures a sound by decoding it. @see soundLength */
  readonly length: { readonly input: { readonly name: string }; readonly output: SoundLength };
  /** Reads a zipped template package. */
  readonly package: { readonly input: { readonly wants: PackageAspect }; readonly output: PackageAnswer };
  /** Fills a template with a mapping. Files of both are stubs, @see bindIn. */
  readonly bind: { readonly input: BindInput; readonly output: BoundInput };
  /** Opens a font with its settings. */
  readonly font: { readonly input: Omit<FontToOpen, 'bytes'>; readonly output: OpenedFont };
}

/** A font that texts can be set in, or the reason why they cannot. */
type OpenedFont = { readonly problem: string } | ({ readonly problem: null } & FontWeight);

export type TaskKind = keyof RenderTasks;
export type TaskInput<Kind extends TaskKind> = RenderTasks[Kind]['input'];
export type TaskOutput<Kind extends TaskKind> = RenderTasks[Kind]['output'];

export interface TaskOptions extends RenderOptions {
  /** The encoder of this task; that of its pool by default. */
  readonly encoder?: EncoderChoice;
  /** Processors that the task can use at once; 1 by default. It is given those that tasks of other videos leave free. */
  readonly processors?: number;
  /** The file that the task reads. */
  readonly bytes?: SourceBytes;
  /** Identifies the video that the task belongs to: two tasks of one video may run at once in one process, which ends both if it ends. */
  readonly video?: symbol;
}

/**
 * The task's input made its process pass a limit or crash: the input is at fault, and not the machine. Other errors of a
 * process, such as a failure to start, are a plain RenderError `render_crashed`.
 */
export class TaskKilled extends RenderError {
  readonly reason: 'time' | 'memory' | 'crash';

  constructor(reason: TaskKilled['reason'], message: string, options: { readonly cause?: unknown } = {}) {
    super(reason === 'time' ? 'render_timeout' : 'render_crashed', message, options);
    this.reason = reason;
  }
}

/** Predicates for files that a process could not read. */
export const KILLED_BY: Readonly<Record<TaskKilled['reason'], string>> = {
  time: 'takes too long to read',
  memory: 'takes too much memory to read',
  crash: 'crashes the decoder',
};

/** Tasks that make up a rendered video. */
export type RenderTaskKind = 'video' | 'files' | 'segments' | 'frames' | 'sound' | 'keys' | 'join';

/** Runs tasks of some kinds. */
export interface TaskRunner<Kinds extends TaskKind = TaskKind> {
  /**
   * @throws RenderError, ReelformError as the task does; `render_crashed` when its process ends or takes too much memory,
   * `render_timeout` when it takes too long; TaskKilled where the input is at fault
   * @throws the signal's reason when it is aborted; the process is killed
   */
  run<Kind extends Kinds>(kind: Kind, input: TaskInput<Kind>, options?: TaskOptions): Promise<TaskOutput<Kind>>;
}

/** To the process. It sends one answer for each request. The messages about a task carry its number, see `encodeMessage`. */
export interface TaskRequest {
  readonly kind: TaskKind;
  /** Packed, @see packInput. */
  readonly input: unknown;
  readonly encoder: EncoderChoice;
  /** See `TaskOptions`. */
  readonly processors: number;
  /** The file that the task reads; empty for most tasks. */
  readonly bytes: SourceBytes;
}

/** Descriptor of the process through which it sends its messages. Requests arrive at its standard input. */
export const ANSWERS_DESCRIPTOR = 3;

/** To the parent. */
export type TaskMessage<Kind extends TaskKind = TaskKind> = TaskProgress | TaskAnswer<Kind>;

interface TaskProgress {
  readonly kind: 'progress';
  readonly done: number;
  readonly count: number;
}

/** The last message of a task. */
type TaskAnswer<Kind extends TaskKind> =
  | { readonly kind: 'done'; readonly output: TaskOutput<Kind> }
  | { readonly kind: 'failed'; readonly failure: Failure };
