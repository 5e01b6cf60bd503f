import { areUsed, fullCaptionStyle, type SpecCaptions } from '../../contract/captions/caption-style.ts';
import { type Cue, toMilliseconds, type Word } from '../../contract/captions/cue.ts';
import type { FrameRate } from '../../contract/timeline/frame-rate.ts';
import { framesOf, rationalRate } from '../../contract/timeline/rational.ts';
import { defined } from '../../kernel/defined.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import type {
  CaptionFont,
  CaptionLook,
  CueWord,
  InputCaptions,
  InputCaptionTrack,
  InputCue,
  InputLayerCaptions,
  LayerText,
} from '../render-input.ts';
import type { TemplatePackage } from '../template-package.ts';

/** The files of the built-in fonts of captions by name: those with Latin letters first. */
export type CaptionFontFiles = ReadonlyMap<string, readonly Uint8Array[]>;

/** The built-in font whose characters all others lack. */
const FALLBACK_FONT = 'Inter';

/** Captions and the frames of the timeline that they belong to. */
export interface PlacedCaptions {
  readonly captions: SpecCaptions | undefined;
  /** Frame of the timeline from which they count. */
  readonly start: number;
  /** Frames up to their end. */
  readonly length: number;
}

interface CaptionsContext {
  /** Of the timeline. */
  readonly rate: FrameRate;
  /** Templates whose fonts captions may use, in order. */
  readonly templates: readonly Pick<TemplatePackage, 'fonts' | 'extraFonts' | 'fallbackFonts'>[];
  readonly builtIn: CaptionFontFiles;
}

/**
 * Returns the captions that are drawn in a video, in whole frames.
 *
 * @param placed those of the video first
 * @returns undefined if there are none
 * @throws ReelformError template_invalid for a font that neither a template nor Reelform has
 */
export function bindCaptions(placed: readonly PlacedCaptions[], context: CaptionsContext): InputCaptions | undefined {
  const looks: CaptionLook[] = [];
  const cues = placed.flatMap(({ captions, start, length }): Omit<InputCue, 'level'>[] => {
    if (captions?.style === undefined || !areUsed(captions)) return [];
    looks.push(lookOf(captions, captions.style, context));
    return captions.cues.flatMap((cue) => boundCue(cue, { look: looks.length - 1, start, length, rate: context.rate }));
  });
  if (cues.length === 0) return undefined;
  cues.sort((a, b) => a.from - b.from);
  return { rate: context.rate, looks, cues: withLevels(cues, looks) };
}

function lookOf(
  { lang, fonts = [] }: SpecCaptions,
  style: CaptionLook['style'],
  context: CaptionsContext,
): CaptionLook {
  const { font } = fullCaptionStyle(style);
  const fallbacks = context.templates.flatMap(({ fallbackFonts }) => fallbackFonts);
  const names = [...new Set([font, ...fonts, FALLBACK_FONT, ...fallbacks])];
  return { style, lang: lang ?? null, fonts: names.flatMap((name) => fontFiles(name, context)) };
}

function fontFiles(name: string, { templates, builtIn }: CaptionsContext): CaptionFont[] {
  for (const { fonts, extraFonts } of templates) {
    const file = fonts.get(name) ?? extraFonts.get(name);
    if (file !== undefined) return [{ name, bytes: file.bytes }];
  }
  const files = builtIn.get(name);
  if (files !== undefined) return files.map((bytes) => ({ name, bytes }));
  const known = [...new Set([...builtIn.keys(), ...templates.flatMap(({ fonts }) => [...fonts.keys()])])].join(', ');
  throw new ReelformError(
    'template_invalid',
    `Neither the templates nor Reelform have the font ${name} of the captions`,
    {
      hint: `Use one of ${known}, or add the font to "fonts" of a template`,
    },
  );
}

interface CuePlace extends Omit<PlacedCaptions, 'captions'> {
  readonly look: number;
  readonly rate: FrameRate;
}

/** Returns a cue in frames of the timeline; none if it would be shown for less than half a frame. */
function boundCue(cue: Cue, { look, start, length, rate }: CuePlace): Omit<InputCue, 'level'>[] {
  const frameOf = (seconds: number): number =>
    start + Math.min(length, framesOf(Math.max(0, seconds), rationalRate(rate)) ?? 0);
  const [from, to] = [frameOf(cue.start), frameOf(cue.end)];
  if (to <= from || cue.text.trim() === '') return [];
  const words = wordsOf(cue, frameOf);
  return [
    { look, from, to, text: cue.text, ...defined({ words: words.length === 0 ? undefined : words, place: cue.place }) },
  ];
}

/**
 * Returns the captions that texts of the templates show, in whole frames of their scenes.
 *
 * @param placed those of the video, then those of each scene
 * @returns undefined if there are none
 */
export function bindCaptionLayers(
  [ofVideo, ...ofScenes]: readonly PlacedCaptions[],
  rate: FrameRate,
): InputLayerCaptions | undefined {
  const textsOf = ({ captions, start, length }: PlacedCaptions): LayerText[] =>
    captions?.layer === true ? captions.cues.flatMap((cue) => boundCue(cue, { look: 0, start, length, rate })) : [];
  const whole = textsOf(ofVideo!);
  const scenes = ofScenes.map((scene) => {
    const { start, length } = scene;
    const inScene = (frame: number): number => Math.min(length, Math.max(0, frame - start));
    const shown = [...whole, ...textsOf(scene)].map(({ from, to, text }) => {
      return { from: inScene(from), to: inScene(to), text: text.trim() };
    });
    return withoutOverlaps(shown);
  });
  return scenes.every((texts) => texts.length === 0) ? undefined : { rate, scenes };
}

/** Joins texts that are shown at the same time: the later one above, as for captions that are drawn. */
function withoutOverlaps(texts: readonly LayerText[]): LayerText[] {
  const edges = [...new Set(texts.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  const joined: LayerText[] = [];
  for (const [index, to] of edges.slice(1).entries()) {
    const from = edges[index]!;
    const shown = texts.filter((text) => text.from <= from && to <= text.to).sort((a, b) => b.from - a.from);
    const text = shown.map((item) => item.text).join('\n');
    const last = joined.at(-1);
    if (text === '') continue;
    if (last !== undefined && last.to === from && last.text === text) joined[joined.length - 1] = { ...last, to };
    else joined.push({ from, to, text });
  }
  return joined;
}

/** Finds the words of a cue in its text; none if a word is not in it. Punctuation beside a word belongs to the word. */
function wordsOf({ text, words = [] }: Cue, frameOf: (seconds: number) => number): CueWord[] {
  const found: { word: Word; start: number; end: number }[] = [];
  let at = 0;
  for (const word of words) {
    const spoken = word.text.trim();
    const start = text.indexOf(spoken, at);
    if (spoken === '' || start < 0) return [];
    at = start + spoken.length;
    found.push({ word, start, end: at });
  }
  return found.map(({ word, start, end }, index) => {
    const [before, next] = [found[index - 1]?.end ?? 0, found[index + 1]?.start ?? text.length];
    const leading = /\S*$/.exec(text.slice(before, start))![0].length;
    const trailing = /^\S*/.exec(text.slice(end, next))![0].length;
    // What stands between two words without a space belongs to the first.
    const isFirstOfPiece = leading < start - before || before === 0;
    return {
      start: isFirstOfPiece ? start - leading : start,
      end: end + trailing,
      from: frameOf(word.start),
      to: Math.max(frameOf(word.start), frameOf(word.end)),
    };
  });
}

/** Gives each cue the lowest level that no cue beside it has which is shown at the same time at the same edge. */
function withLevels(cues: readonly Omit<InputCue, 'level'>[], looks: readonly CaptionLook[]): InputCue[] {
  const positionOf = ({ look, place }: Pick<InputCue, 'look' | 'place'>): string => {
    return place ?? fullCaptionStyle(looks[look]!.style).position;
  };
  const levelled: InputCue[] = [];
  let shown: InputCue[] = [];
  for (const cue of cues) {
    shown = shown.filter(({ to }) => to > cue.from);
    const taken = new Set(shown.filter((other) => positionOf(other) === positionOf(cue)).map(({ level }) => level));
    let level = 0;
    while (taken.has(level)) level += 1;
    const placed = { ...cue, level };
    levelled.push(placed);
    shown.push(placed);
  }
  return levelled;
}

/**
 * Returns the captions that become a track of the file, in seconds of the video.
 *
 * @param placed as of `bindCaptions`
 * @returns undefined if there are none
 */
export function bindCaptionTrack(
  placed: readonly PlacedCaptions[],
  frameRate: FrameRate,
): InputCaptionTrack | undefined {
  const embedded = placed.flatMap(({ captions, ...place }) =>
    captions?.embed === undefined ? [] : [{ captions, ...place }],
  );
  const rate = frameRate.numerator / frameRate.denominator;
  const cues = embedded.flatMap(({ captions, start, length }) => {
    const [from, to] = [start / rate, (start + length) / rate];
    const inVideo = <T extends { readonly start: number; readonly end: number }>(timed: T): T => {
      return {
        ...timed,
        start: toMilliseconds(from + timed.start),
        end: toMilliseconds(Math.min(to, from + timed.end)),
      };
    };
    const moved = captions.cues.map(
      ({ words, ...cue }): Cue => ({ ...inVideo(cue), ...defined({ words: words?.map(inVideo) }) }),
    );
    return moved.filter((cue) => cue.end > cue.start && cue.text.trim() !== '');
  });
  if (cues.length === 0) return undefined;
  cues.sort((a, b) => a.start - b.start);
  const lang = embedded.find(({ captions }) => captions.lang !== undefined)?.captions.lang ?? null;
  return {
    lang,
    isDefault: embedded.every(({ captions }) => captions.style === undefined && captions.layer === undefined),
    cues,
  };
}
