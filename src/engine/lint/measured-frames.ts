import { RecentValues } from './recent-values.ts';

/** Measured visibility of a text on a frame. */
export interface TextVisibility {
  readonly frame: number;
  /**
   * WCAG contrast ratio that 90 % of the text's inner pixels reach against their background, or against an outline or glow around
   * them; null if too few pixels are visible.
   */
  readonly ratio: number | null;
  /** Some inner pixels lie at the edge of the picture. */
  readonly isAtEdge: boolean;
  /** Largest coverage of a pixel by the text, 0..1, which is smaller while the text fades. */
  readonly coverage: number;
  /** Relative luminance of the darker and the brighter parts of the text, 0..1: its quantiles of 10 and 90 %. */
  readonly luminance: readonly [dark: number, bright: number];
  /** Share of the text's ink that masks, mattes or layers above cut off, 0..1; null if it was not measured. */
  readonly cutShare: number | null;
}

/** The texts of a frame as they were measured. */
export interface MeasuredFrame {
  /** By the text's index. */
  readonly texts: ReadonlyMap<number, Omit<TextVisibility, 'frame'>>;
  /** False if `cutShare` was not measured. */
  readonly hasCuts: boolean;
}

/** A measured frame for another process or run. */
export interface KeptFrame {
  /** Digest of what the frame shows, and of the texts that were measured. */
  readonly key: string;
  readonly hasCuts: boolean;
  readonly texts: readonly KeptText[];
}

interface KeptText {
  readonly index: number;
  readonly ratio: number;
  readonly isAtEdge: boolean;
  readonly coverage: number;
  readonly luminance: readonly number[];
  readonly cutShare: number | null;
}

/** Measured frames by key, for inputs that show the same. */
const recent = new RecentValues<MeasuredFrame>(10_000);

/** The measured frames that inputs of this thread share, and a list of those that an input has used. */
export class MeasuredFrames {
  /** True if no other input of the thread will be similar, so that nothing large is kept for it. */
  readonly isLast: boolean;
  readonly #used = new Map<string, MeasuredFrame>();

  /**
   * @param kept frames that other processes have measured, with the same program
   * @param isLast see the property
   */
  constructor(kept: readonly KeptFrame[] = [], isLast = false) {
    this.isLast = isLast;
    for (const { key, hasCuts, texts } of kept) {
      // What this thread has measured may have more cuts.
      if (recent.get(key) === undefined) recent.set(key, { hasCuts, texts: new Map(texts.map(visibilityOf)) }, 1);
    }
  }

  get(key: string): MeasuredFrame | undefined {
    return recent.get(key);
  }

  set(key: string, frame: MeasuredFrame): void {
    recent.set(key, frame, 1);
    this.#used.set(key, frame);
  }

  /** Returns the frames of the input. */
  kept(): KeptFrame[] {
    return [...this.#used].map(([key, { hasCuts, texts }]) => ({
      key,
      hasCuts,
      texts: [...texts].flatMap(([index, { ratio, ...text }]) => (ratio === null ? [] : [{ index, ratio, ...text }])),
    }));
  }
}

function visibilityOf({ index, luminance: [dark = 0, bright = dark], ...text }: KeptText) {
  return [index, { ...text, luminance: [dark, bright] as const }] as const;
}
