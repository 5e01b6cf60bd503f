/** The facts of a kind of editables that no wing has to compute. */
interface KindFacts {
  /** With its article, in messages. */
  readonly noun: string;
  /** Field of `source` with the value in the service interface. */
  readonly source: 'text' | 'font' | 'remote_url';
  /** Letter of keys such as `t_01`; null if keys name a file, such as `(Footage)/USER/photo.jpg`. */
  readonly keyLetter: string | null;
  readonly keyExample: string;
  /** What it fills in an animation; null for a font, which texts name. */
  readonly fills: 'text' | 'property' | 'image' | 'sound' | null;
  /** Example of a path, for kinds with files. */
  readonly exampleFile?: string;
  /** Values begin with `#` and need quotes in YAML. */
  readonly needsQuotes?: true;
  readonly slot?: SlotFacts;
}

/**
 * A kind that fills a scalar, a vector or a gradient of an animation. On the wire its values are texts, like those of colours:
 * `12.5`, `10, 20`, `#FF0000 0%, #00FF00 100%`. `slot-text.ts` normalizes them, `slot-property.ts` reads and writes properties.
 */
export interface SlotFacts {
  /** Regular expression of the text, without anchors. */
  readonly pattern: string;
  readonly example: string;
  /** What a value must be, in messages. */
  readonly form: string;
  /** Message of editors. */
  readonly editorMessage: string;
  /** What it fills, after the kind. */
  readonly filling: string;
  /** YAML files may have a number in place of the text. */
  readonly isYamlNumber?: true;
  /** For texts that match the pattern but have no meaning. */
  readonly problem?: { readonly message: string; readonly hint: string };
}

const NUMBER = '[+-]?[0-9]{1,6}(\\.[0-9]{1,6})?';
const STOP = '#?([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})( +[0-9]{1,3}(\\.[0-9]{1,6})?%)?';
const COMMA = ' *, *';
/** Maximum colours of a gradient. */
export const MAX_GRADIENT_STOPS = 32;
const GRADIENT = '#FF0000 0%, #00FF00 100%';

/**
 * The kinds of editables, in the order of documentation. Types, schemas, messages and examples derive from it; tables keyed by kind
 * in other wings, which the compiler keeps complete, contain the code of a kind.
 */
export const EDITABLE_KINDS = {
  text: { noun: 'a text', source: 'text', keyLetter: 't', keyExample: 't_01', fills: 'text' },
  color: {
    noun: 'a colour',
    source: 'text',
    keyLetter: 'c',
    keyExample: 'c_01',
    fills: 'property',
    needsQuotes: true,
  },
  number: {
    noun: 'a number',
    source: 'text',
    keyLetter: 'n',
    keyExample: 'n_01',
    fills: 'property',
    slot: {
      pattern: NUMBER,
      example: '12.5',
      form: 'a number below a million with at most six decimals',
      editorMessage: 'Must be a number below a million with at most six decimals, like 12.5',
      filling: 'fills one value',
      isYamlNumber: true,
    },
  },
  point: {
    noun: 'a point',
    source: 'text',
    keyLetter: 'p',
    keyExample: 'p_01',
    fills: 'property',
    slot: {
      pattern: `${NUMBER}${COMMA}${NUMBER}`,
      example: '10, 20',
      form: 'two numbers with a comma between them',
      editorMessage: 'Must be two numbers, like "10, 20"',
      filling: 'two or three',
    },
  },
  gradient: {
    noun: 'a gradient',
    source: 'text',
    keyLetter: 'g',
    keyExample: 'g_01',
    fills: 'property',
    needsQuotes: true,
    slot: {
      pattern: `${STOP}(${COMMA}${STOP}){1,${MAX_GRADIENT_STOPS - 1}}`,
      example: GRADIENT,
      form: '2 to 32 colours with a position for each, or none',
      editorMessage: `Must be 2 to 32 colours with positions, in quotes: "${GRADIENT}"`,
      filling: 'the "g" of a gradient fill or stroke',
      problem: {
        message: 'The positions of the gradient do not ascend from 0% to 100%',
        hint: `Write a position for each colour or for none, like "${GRADIENT}"`,
      },
    },
  },
  image: {
    noun: 'an image',
    source: 'remote_url',
    keyLetter: null,
    keyExample: '(Footage)/USER/photo.jpg',
    fills: 'image',
    exampleFile: './images/image.jpg',
  },
  video: {
    noun: 'a video',
    source: 'remote_url',
    keyLetter: null,
    keyExample: '(Footage)/USER/clip.mp4',
    fills: 'image',
    exampleFile: './clips/clip.mp4',
  },
  audio: {
    noun: 'a sound',
    source: 'remote_url',
    keyLetter: null,
    keyExample: '(Footage)/USER/music.mp3',
    fills: 'sound',
    exampleFile: './sounds/music.mp3',
  },
  captions: { noun: 'captions', source: 'text', keyLetter: 's', keyExample: 's_01', fills: 'text' },
  font: { noun: 'a font', source: 'font', keyLetter: 'f', keyExample: 'f_01', fills: null },
} as const satisfies Readonly<Record<string, KindFacts>>;

/** A kind of editables. */
export type EditableKind = keyof typeof EDITABLE_KINDS;

export const EDITABLE_KIND_NAMES = Object.keys(EDITABLE_KINDS) as readonly EditableKind[];

/** Returns the facts of a kind; undefined for a kind of another version. */
export function kindFacts(kind: EditableKind): KindFacts;
export function kindFacts(kind: string): KindFacts | undefined;
export function kindFacts(kind: string): KindFacts | undefined {
  return Object.hasOwn(EDITABLE_KINDS, kind) ? EDITABLE_KINDS[kind as EditableKind] : undefined;
}

/** Returns whether an editable is a text that shows the cue of the time: no values fill it, only `captions`. */
export function isCaptionsKey(key: unknown): boolean {
  return typeof key === 'string' && CAPTIONS_KEY.test(key);
}

const CAPTIONS_KEY = new RegExp(`^${EDITABLE_KINDS.captions.keyLetter}_\\d{2,}$`);

type Kinds = typeof EDITABLE_KINDS;
/** A kind with a slot. */
export type SlotKind = { [K in EditableKind]: Kinds[K] extends { readonly slot: unknown } ? K : never }[EditableKind];

export const SLOT_KINDS = EDITABLE_KIND_NAMES.filter(isSlotKind);

export function isSlotKind(kind: string): kind is SlotKind {
  return kindFacts(kind)?.slot !== undefined;
}

export function slotFacts(kind: SlotKind): SlotFacts {
  return EDITABLE_KINDS[kind].slot;
}
