import { defined } from '../../kernel/defined.ts';
import { CAPTION_STYLE_FIELDS } from '../fields/caption-style-fields.ts';
import { defaultsOf, type FieldValues, plainColor, withoutDefaults } from '../fields/field.ts';
import { type Cue, toMilliseconds } from './cue.ts';

/** Fonts that captions can use in every video. All have Latin letters; Inter has Cyrillic and Greek letters, too. */
export const CAPTION_FONTS = ['Inter', 'Montserrat', 'Anton', 'Instrument Serif'] as const;

/** How captions look. A field is absent at its default. */
export interface CaptionStyle extends Readonly<FieldValues<typeof CAPTION_STYLE_FIELDS>> {
  /** Tag of an axis of a variable font → position in the units of the font. */
  readonly axes?: Readonly<Record<string, number>>;
  /** Tag of an OpenType feature → 0 to switch it off, 1 to switch it on, or the number of an alternate. */
  readonly features?: Readonly<Record<string, number>>;
}

/** Values of the fields that a style does not have. */
export const CAPTION_STYLE_DEFAULTS = defaultsOf(CAPTION_STYLE_FIELDS);

/** A style with the defaults of all fields that have one. */
export type FullCaptionStyle = CaptionStyle & Required<Pick<CaptionStyle, keyof typeof CAPTION_STYLE_DEFAULTS>>;

export function fullCaptionStyle(style: CaptionStyle): FullCaptionStyle {
  return { ...CAPTION_STYLE_DEFAULTS, ...style };
}

/** The captions of a video or of a scene that become part of its file. */
export interface SpecCaptions {
  /** In the order of their start. Seconds from the start of the video or of the scene, at whose end they end too. */
  readonly cues: readonly Cue[];
  /** How they are drawn, with all of its values; absent if they are not drawn. */
  readonly style?: CaptionStyle;
  /** Shows them in the texts of the templates that are of kind `captions`. Only without a style. */
  readonly layer?: true;
  /** Names of further fonts, in order, for characters that the font of the style lacks. Fallback fonts of the templates follow. */
  readonly fonts?: readonly string[];
  /** Language of the texts (BCP 47), which decides where lines break and what the language of an embedded track is. */
  readonly lang?: string;
  /** Adds the cues to files of a format that has tracks of captions. */
  readonly embed?: true;
}

/**
 * Removes fields of captions that repeat a default or are not used, and rounds times to milliseconds, the unit of caption files. Captions
 * that mean the same are then equal.
 *
 * @returns undefined for captions that are neither shown nor embedded, or that have no cues
 */
export function plainCaptions(captions: SpecCaptions): SpecCaptions | undefined {
  if (!areUsed(captions)) return undefined;
  const { cues, style, layer, fonts, lang, embed } = captions;
  const hasFonts = style !== undefined && fonts !== undefined && fonts.length > 0;
  return {
    cues: cues.map(plainCue),
    ...defined({ style: style && plainCaptionStyle(style), layer, fonts: hasFonts ? fonts : undefined, lang, embed }),
  };
}

/** Returns whether a file of the video shows or contains the captions. */
export function areUsed({ cues, style, layer, embed }: SpecCaptions): boolean {
  return cues.length > 0 && (style !== undefined || layer !== undefined || embed !== undefined);
}

/** Removes what repeats a default. */
export function plainCaptionStyle({ axes = {}, features = {}, ...fields }: CaptionStyle): CaptionStyle {
  const plain = withoutDefaults(fields, CAPTION_STYLE_DEFAULTS);
  const colored = Object.entries(plain).map(([name, value]) => {
    const isColor = CAPTION_STYLE_FIELDS[name as keyof typeof CAPTION_STYLE_FIELDS].kind === 'color';
    return [name, isColor ? plainColor(String(value).replace('#', '').toUpperCase()) : value];
  });
  return {
    ...withoutDefaults(Object.fromEntries(colored) as CaptionStyle, CAPTION_STYLE_DEFAULTS),
    ...defined({ axes: isEmpty(axes) ? undefined : axes, features: isEmpty(features) ? undefined : features }),
  };
}

function isEmpty(settings: object): boolean {
  return Object.keys(settings).length === 0;
}

/** Returns a cue with times in whole milliseconds, without the places in a file that a reader adds. */
export function plainCue({ start, end, text, words, speaker, place }: Cue): Cue {
  return { ...rounded({ start, end, text }), ...defined({ words: words?.map(rounded), speaker, place }) };
}

function rounded<T extends Pick<Cue, 'start' | 'end'>>(timed: T): T {
  return { ...timed, start: toMilliseconds(timed.start), end: toMilliseconds(timed.end) };
}
