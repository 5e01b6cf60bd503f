import type { LintCode, SafeAreaName } from '../template/lint-severities.ts';
import type { RenderInput } from '../template/render-input.ts';

/** A level raises a sound by at most so many decibels, because noise rises with it. */
export const MAX_LEVEL_GAIN = 12;

/** The frame that shows a finding best, according to the animation. */
export interface FindingMoment {
  /** Index of a frame of the output. */
  readonly frame: number;
  readonly seconds: number;
  /** Name of the input's still of that frame, if any. */
  readonly still: string | null;
}

/** @param frame of the output */
export function momentAt({ fps, stills }: Pick<RenderInput, 'fps' | 'stills'>, frame: number): FindingMoment {
  return { frame, seconds: frame / fps, still: stills.find((candidate) => candidate.frame === frame)?.name ?? null };
}

/** Returns the moment of a sound, which no still shows. */
export function soundMoment(
  { frameCount, fps }: Pick<RenderInput, 'fps' | 'frameCount'>,
  seconds: number,
): FindingMoment {
  const frame = Math.max(0, Math.min(frameCount - 1, Math.floor(seconds * fps)));
  return { frame, seconds: frame / fps, still: null };
}

/** A rectangle in shares of the picture, 0..1. */
export interface PictureBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A defect that viewers of a video would notice, with its position in the picture, or null if that is unknown. */
export type LintFinding = LintDefect & {
  readonly box: PictureBox | null;
  /** Id of the scene that shows it; absent for a track of the whole video, and in a video of one template at its own times. */
  readonly scene?: string;
};

/** A defect that viewers of a video would notice, such as a missing glyph. */
export type LintDefect = { readonly code: LintCode } & FindingMoment &
  (EditableDefect | CaptionDefect | FlashDefect | SceneDefect | MixDefect);

/** A defect of the picture as a whole. */
interface FlashDefect {
  readonly code: 'flashes';
  readonly editable: null;
  /** `red`: changes to or from a saturated red. */
  readonly kind: 'general' | 'red';
  /** Flashes in the second that starts at the moment. */
  readonly flashes: number;
}

/** Kind of a passage in a text that was not meant to be drawn. */
export type LeftoverKind = 'escape' | 'placeholder' | 'entity' | 'markup' | 'value' | 'encoding';

/** A defect of how a scene is placed in its video. */
type SceneDefect = { readonly editable: null } & (
  | {
      readonly code: 'hold_moves';
      readonly heldSeconds: number;
      /** See `movement`. */
      readonly changedShare: number;
    }
  | {
      readonly code: 'transition_from_empty';
      /** Id of the scene whose last frame is empty. */
      readonly before: string;
    }
);

/** A defect of the finished sound. */
type MixDefect = { readonly editable: null } & (
  | {
      readonly code: 'mix_too_loud';
      /** Decibels by which the largest peak of the mix exceeds full scale. */
      readonly excess: number;
    }
  | {
      readonly code: 'loudness_missed';
      /** LUFS; null for a sound that is silent, or shorter than 0.4 s. */
      readonly integrated: number | null;
      readonly target: number;
    }
);

/** A defect of captions, of which the first cue is named. */
export type CaptionDefect = {
  readonly editable: null;
  /** Text of the cue. */
  readonly caption: string;
  /** Cues that have the same defect. */
  readonly captions: number;
} & (
  | {
      readonly code: 'caption_over_text';
      /** The text of the template that it covers: its editable, or null for a fixed text, and its words. */
      readonly other: string | null;
      readonly otherText: string;
    }
  | {
      readonly code: 'caption_outside_safe_area';
      readonly area: SafeAreaName;
      /** Edges of the area that it crosses. */
      readonly edges: readonly ('top' | 'right' | 'bottom' | 'left')[];
    }
  | {
      readonly code: 'caption_low_contrast';
      /** All of its letters, or the word that is spoken. */
      readonly part: 'text' | 'active_word';
      /** WCAG contrast ratio, 1..21, that 90 % of its lines reach, and the required ratio. */
      readonly ratio: number;
      readonly needed: number;
    }
  | GlyphMissing
  | Misdirected
  | {
      readonly code: 'text_overflow';
      readonly text: string;
      /** It exceeds the lines or the width of its style. */
      readonly beyond: 'box';
      /** As a share of them. */
      readonly overflow: number;
    }
);

interface GlyphMissing {
  readonly code: 'glyph_missing';
  /** Grapheme clusters without a glyph in any font, without duplicates. */
  readonly characters: readonly string[];
  readonly font: string;
}

interface Misdirected {
  readonly code: 'text_direction';
  /** The first line that is drawn from left to right although most of its words are written from right to left. */
  readonly text: string;
}

type EditableDefect = { readonly editable: string } & (
  | GlyphMissing
  | Misdirected
  | {
      readonly code: 'text_overflow';
      readonly text: string;
      /**
       * `box`: the text exceeds the box that the designer drew. `frame`: the edge of the picture cuts it. `layer`: a mask, a
       * matte or a layer above cuts it.
       */
      readonly beyond: 'box' | 'frame' | 'layer';
      /** Excess as a share of the box, or of the text that a layer cuts; null if unknown. */
      readonly overflow: number | null;
    }
  | {
      readonly code: 'low_contrast';
      /** WCAG contrast ratio, 1..21, that 90 % of the text reaches, and the required ratio. */
      readonly ratio: number;
      readonly needed: number;
    }
  | {
      readonly code: 'text_too_small';
      /** Font size as drawn and the smallest readable size, in pixels of a picture whose shorter side has 1080. */
      readonly size: number;
      readonly needed: number;
      /** The text was shrunk to fit its box. */
      readonly isShrunk: boolean;
    }
  | {
      readonly code: 'text_shrunk';
      /** Font sizes as drawn and as designed, in pixels of a picture whose shorter side has 1080. */
      readonly size: number;
      readonly designed: number;
      /**
       * The largest text of the same frame that the design has smaller: its editable, or null for a fixed text, its
       * words and its size as drawn. Null if no such text is larger.
       */
      readonly larger: { readonly editable: string | null; readonly text: string; readonly size: number } | null;
    }
  | {
      readonly code: 'text_hidden';
      /** No frame shows the layer, the text lies outside the picture, or other content covers it. */
      readonly reason: 'never_shown' | 'off_frame' | 'covered';
    }
  | {
      readonly code: 'outside_safe_area';
      readonly area: SafeAreaName;
      /** Edges of the area that the text crosses. */
      readonly edges: readonly ('top' | 'right' | 'bottom' | 'left')[];
    }
  | {
      readonly code: 'text_collision';
      /** The other text: its editable, or null for a fixed text, and its words. */
      readonly other: string | null;
      readonly otherText: string;
    }
  | {
      readonly code: 'text_leftover';
      readonly kind: LeftoverKind;
      /** The passage, shortened. */
      readonly leftover: string;
    }
  | {
      readonly code: 'image_too_small';
      /** Available pixels of the visible part, and pixels of the picture that it covers at its largest. */
      readonly width: number;
      readonly height: number;
      readonly areaWidth: number;
      readonly areaHeight: number;
      /**
       * The bottleneck: the image or clip itself, or its asset in the template, to whose size all images are scaled first.
       */
      readonly limit: 'image' | 'clip' | 'asset';
    }
  | {
      readonly code: 'clip_ends_early';
      /** Time in the video from which the clip's last picture freezes although it should still move. */
      readonly freezesAtSeconds: number;
      /** Length of the clip after trimming. */
      readonly lengthSeconds: number;
      readonly neededSeconds: number;
    }
  | {
      readonly code: 'clip_cut' | 'sound_cut';
      /** Length after trimming, and the part of it that the video plays. */
      readonly lengthSeconds: number;
      readonly playedSeconds: number;
    }
  | {
      readonly code: 'sound_unused';
      /** Its volume is 0, it starts after the end of the video, or the clip has no sound. */
      readonly reason: 'volume' | 'late' | 'no_sound';
      /** Null for a clip without sound. */
      readonly lengthSeconds: number | null;
    }
  | {
      readonly code: 'sound_silent';
      /** Largest peak in dBTP; null for digital silence. */
      readonly peak: number | null;
    }
  | {
      readonly code: 'sound_clipped';
      /** Number of peaks that are cut off. */
      readonly places: number;
    }
  | {
      readonly code: 'sound_out_of_phase';
      /** Of left and right, -1..1. */
      readonly correlation: number;
    }
  | {
      readonly code: 'level_missed';
      /** Loudness of the part that is heard, and the requested level, in LUFS. */
      readonly loudness: number;
      readonly level: number;
    }
  | {
      readonly code: 'words_unheard';
      /** Length of the sound, and the end of its last word, in seconds of its file. */
      readonly lengthSeconds: number;
      readonly wordsEndSeconds: number;
    }
  | {
      readonly code: 'media_truncated';
      /**
       * Duration that is present in the clip or sound, and the duration that the file declares; null if it declares
       * none.
       */
      readonly presentSeconds: number;
      readonly announcedSeconds: number | null;
    }
);

/** Findings about clips and sounds, which every render reports. */
export type MediaFinding = Extract<LintDefect, { code: MediaCode }>;

/** Codes of the findings that every render reports. */
export const MEDIA_CODES = [
  'clip_ends_early',
  'clip_cut',
  'sound_cut',
  'sound_unused',
  'level_missed',
  'words_unheard',
  'media_truncated',
] as const satisfies readonly LintCode[];
type MediaCode = (typeof MEDIA_CODES)[number];

/** The finished sound has another loudness than the video asks for. A further file of the video is named. */
export type LoudnessFinding = Omit<Extract<LintDefect, { code: 'loudness_missed' }>, keyof FindingMoment> & {
  readonly output?: string;
};
