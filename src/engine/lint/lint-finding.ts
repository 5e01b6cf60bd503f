import type { LintCode } from '../../template/lint-severities.ts';

/** When something is seen, as far as the animation tells. */
export interface FindingMoment {
  /** Of the output. */
  readonly frame: number;
  readonly seconds: number;
  /** The scene's still of that frame. */
  readonly still: string | null;
}

/** Something that a viewer of a video would notice, and its maker did not see coming. */
export type LintFinding = { readonly code: LintCode; readonly editable: string } & FindingMoment &
  (
    | {
        readonly code: 'glyph_missing';
        /** What no font has a glyph for, each once. */
        readonly characters: readonly string[];
        readonly font: string;
      }
    | {
        readonly code: 'text_overflow';
        readonly text: string;
        /** `box`: it does not fit the box that the designer drew. `frame`: the edge of the picture cuts it. */
        readonly beyond: 'box' | 'frame';
        /** How far it goes over the box, as a share of it; null where that is not known. */
        readonly overflow: number | null;
      }
    | {
        readonly code: 'low_contrast';
        /** WCAG contrast ratio, 1..21, that nine tenths of the text have, and the one that it should have. */
        readonly ratio: number;
        readonly needed: number;
      }
    | {
        readonly code: 'image_too_small';
        /** Pixels that there are of the part that is shown, and pixels of the picture that they fill where it is largest. */
        readonly width: number;
        readonly height: number;
        readonly areaWidth: number;
        readonly areaHeight: number;
        /** Who has too few: the image, or its asset in the template, whose size every image is brought to before it is drawn. */
        readonly limit: 'image' | 'asset';
      }
    | {
        readonly code: 'clip_ends_early';
        /** Of the video: from here on the clip's last picture stands, where it should still move. */
        readonly standsFromSeconds: number;
        /** Of the clip, behind its trim. */
        readonly lengthSeconds: number;
        readonly neededSeconds: number;
      }
    | {
        readonly code: 'media_truncated';
        /** Of the clip or the sound: how much of it is there, and how much its file announces; null where it does not say. */
        readonly presentSeconds: number;
        readonly announcedSeconds: number | null;
      }
  );

/** What of them is about clips and sounds: what every render looks for. */
export type MediaFinding = Extract<LintFinding, { code: 'clip_ends_early' | 'media_truncated' }>;
