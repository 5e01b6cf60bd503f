import type { KeyframePath } from '../lottie/paths/path-points.ts';

/** Field of a property that carries the number of its expression into the sandbox. */
export const EXPRESSION_ID = '__expression';

/** Field of a text layer that carries the measures of its words into the sandbox. */
export const TEXT_RECTS = '__rects';

/** The ink of a text from a frame of its composition on, in pixels of its layer. */
export interface TextRect {
  readonly t: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A value of an expression. */
export type ExpressionValue = number | readonly number[] | KeyframePath | TextValue;

/** Words, and the fields of the text document that an expression changes with them. */
export interface TextValue {
  readonly text: string;
  readonly style?: Readonly<Record<string, number | string | readonly number[]>>;
}

/** The value of an expression at a frame of its composition. */
export interface Sample {
  readonly time: number;
  readonly value: ExpressionValue;
}

/** A property in a use of its composition. */
export interface Instance {
  /** Number of its expression. */
  readonly id: number;
  readonly samples: Sample[];
}

/** Result of the sandbox. */
export interface Evaluation {
  readonly instances: readonly Instance[];
  /** Number of an expression → why it has no value. */
  readonly failures: Readonly<Record<string, string>>;
  /** Numbers of the expressions that measure a text. */
  readonly measuring: readonly number[];
}
