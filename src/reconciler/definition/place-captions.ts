import { type CaptionStyle, fullCaptionStyle, type SpecCaptions } from '../../contract/captions/caption-style.ts';
import type { Cue, Word } from '../../contract/captions/cue.ts';
import { type CueLimits, cuesFromWords } from '../../contract/captions/cues-from-words.ts';
import { SIDECAR_FORMATS } from '../../contract/captions/write-captions.ts';
import { defined } from '../../kernel/defined.ts';
import { type Diagnostic, errorAt, type Span, warningAt } from '../../kernel/diagnostic.ts';
import { didYouMean, formatList } from '../../kernel/hints.ts';
import type { PlacedCue, WrittenCaptions } from './read-captions.ts';
import type { Video, VideoSound } from './video.ts';

/** What is said in a track, and what its transform makes of it. */
export type TrackWords = ReadonlyMap<string, readonly Word[]>;

/** What captions of a place are made from. */
export interface CaptionPlace {
  readonly written: WrittenCaptions | null;
  readonly audio: ReadonlyMap<string, VideoSound>;
  readonly words: TrackWords;
}

/** The captions of a video that were placed. */
export interface PlacedCaptions extends Pick<Video, 'captions' | 'captionFiles' | 'captionRules' | 'captionOrigins'> {
  readonly scenes: Video['scenes'];
}

interface CaptionsInput {
  readonly scenes: Video['scenes'];
  readonly video: CaptionPlace;
  /** Of each scene in its order. Empty for a definition of one template. */
  readonly ofScenes: readonly CaptionPlace[];
  /** Null if they are not known. */
  readonly frame: CaptionFrame | null;
  /** Language of captions that name none: the target locale of the video. Undefined in the source locale, which `locales` must not change. */
  readonly locale: string | undefined;
  /** Returns whether a template has a text that shows captions. */
  readonly hasLayer: (template: string) => boolean;
}

/** Size of the frame in pixels. */
export interface CaptionFrame {
  readonly width: number;
  readonly height: number;
}

/**
 * Resolves captions to cues: those of the video, and of each scene from its start, so that an inserted scene changes no other. A track that
 * is named for the whole video gives captions to the video and to each scene that has it. The captions of an only scene are
 * those of the video.
 *
 * @param diagnostics receives problems
 */
export function placeCaptions(input: CaptionsInput, diagnostics: Diagnostic[]): PlacedCaptions {
  const { scenes, video, ofScenes, frame, locale } = input;
  const isWritten = video.written !== null || ofScenes.some(({ written }) => written !== null);
  if (!isWritten) return { scenes };
  const places = ofScenes.map((place) => ({ ...place, written: inherited(place.written, video.written) }));
  reportSources(input, diagnostics);
  const cuesOf = (place: CaptionPlace): PlacedCue[] => cuesOfPlace(place, frame, diagnostics);
  const shared = { ...video, written: withoutMissing(video, video.written) };
  const [videoCues, sceneCues] = [cuesOf(shared), places.map(cuesOf)];
  const isOnly = scenes.length === 1;
  const ofVideo = isOnly ? [...videoCues, ...sceneCues.flat()].sort((a, b) => a.cue.start - b.cue.start) : videoCues;
  const settings = (isOnly ? places[0]?.written : null) ?? video.written;
  const origins = new Map<string, readonly Span[]>();
  const spec = (
    written: WrittenCaptions | null | undefined,
    cues: readonly PlacedCue[],
    scene: string,
    shownIn: Video['scenes'],
  ): SpecCaptions | undefined => {
    if (!written || cues.length === 0) return undefined;
    origins.set(scene, cues.map(({ at }) => at)); // biome-ignore format: one line
    const layered = shownIn.filter(({ template }) => input.hasLayer(template));
    if (layered.length > 0) reportLayers(written, { shownIn, layered }, diagnostics);
    const settled = { ...defined({ lang: locale }), ...written };
    return specCaptions(settled, cues.map(({ cue }) => cue), layered.length > 0); // biome-ignore format: one line
  };
  const captions = spec(settings, ofVideo, '', scenes);
  const { files = [], rules = 'none' } = video.written ?? {};
  return {
    scenes: isOnly ? scenes : scenes.map((scene, index) => ({ ...scene, ...defined({ captions: spec(places[index]?.written, sceneCues[index] ?? [], scene.id, [scene]) }) })), // biome-ignore format: one line
    ...defined({
      captions,
      captionFiles: files.length === 0 ? undefined : SIDECAR_FORMATS.filter((format) => files.includes(format)),
      captionRules: rules === 'none' ? undefined : rules,
    }),
    ...(origins.size > 0 && { captionOrigins: origins }),
  };
}

/** A scene takes what it does not write from the video; also a track, which it may have. */
function inherited(written: WrittenCaptions | null, video: WrittenCaptions | null): WrittenCaptions | null {
  if (written === null && video?.source?.kind !== 'track') return null;
  const { source: _source, files: _files, rules: _rules, ...shared } = video ?? {};
  return { ...shared, ...(written ?? { source: video!.source, at: video!.at }) };
}

function withoutMissing({ audio }: CaptionPlace, written: WrittenCaptions | null): WrittenCaptions | null {
  const isMissing = written?.source?.kind === 'track' && !audio.has(written.source.name);
  return isMissing ? { ...written, source: null } : written;
}

function reportSources({ video, ofScenes }: CaptionsInput, diagnostics: Diagnostic[]): void {
  const { written } = video;
  const hasScenes = ofScenes.some((place) => place.written !== null);
  if (written?.source === null && !hasScenes && !diagnostics.some(({ severity }) => severity === 'error')) {
    const hint = 'Write from: ./captions/en.vtt, {track: voice}, or a list of {start, end, text}';
    diagnostics.push(
      errorAt('missing_property', written.at, 'captions has no "from", and no scene has captions', hint),
    );
  }
  for (const place of ofScenes) {
    const misplaced = (['files', 'embed', 'rules'] as const).find((name) => place.written?.[name] !== undefined);
    if (misplaced === undefined) continue;
    const message = `${JSON.stringify(misplaced)} belongs to the captions of the whole video`;
    diagnostics.push(
      errorAt('definition_invalid', place.written!.at, message, 'Write it under captions, beside scenes'),
    );
  }
  const names = [video, ...ofScenes].map(({ audio }) => [...audio.keys()]);
  const report = (track: string, at: Span, known: readonly string[]): void => {
    if (known.includes(track)) return;
    const hint = didYouMean(track, known) ?? (known.length === 0 ? 'Add the track under audio' : `The tracks are ${formatList(known)}`); // biome-ignore format: one line
    diagnostics.push(warningAt('track_unknown', at, `Captions are made from the track ${track}, but there is no such track`, hint)); // biome-ignore format: one line
  };
  if (written?.source?.kind === 'track') report(written.source.name, written.at, [...new Set(names.flat())]);
  for (const [index, place] of ofScenes.entries()) {
    if (place.written?.source?.kind === 'track') report(place.written.source.name, place.written.at, names[index + 1]!);
  }
}

/** Reports captions that are drawn although a template has a text for them, and scenes whose template has none. */
function reportLayers(
  { burn = true, style, at }: WrittenCaptions,
  { shownIn, layered }: { readonly shownIn: Video['scenes']; readonly layered: Video['scenes'] },
  diagnostics: Diagnostic[],
): void {
  const report = (message: string, hint: string): void =>
    void diagnostics.push(warningAt('caption_layer', at, message, hint));
  if (!burn) return;
  if (style !== undefined) {
    const names = formatList([...new Set(layered.map(({ template }) => template))]);
    report(
      `Captions are drawn in a style, so the text for captions of the template ${names} stays empty`,
      'Remove style to show them in the text of the template, or use a template without it',
    );
    return;
  }
  const without = shownIn.filter((scene) => !layered.includes(scene));
  if (without.length === 0) return;
  const [names, ids] = [formatList(layered.map(({ id }) => id)), formatList(without.map(({ id }) => id))];
  report(
    `Captions are shown in the text of the template in ${names}, but the template of ${ids} has none: its captions are not shown`,
    'Give the captions a style to draw them in all scenes, or write captions in the scenes that have the text',
  );
}

function cuesOfPlace(
  { written, audio, words }: CaptionPlace,
  frame: CaptionFrame | null,
  diagnostics: Diagnostic[],
): PlacedCue[] {
  const source = written?.source ?? null;
  if (written === null || source === null) return [];
  if (source.kind === 'cues') return [...source.cues];
  const sound = audio.get(source.name);
  if (sound === undefined) return [];
  const spoken = words.get(source.name);
  if (spoken === undefined) {
    const message = `Captions are made from the track ${source.name}, but its words are not known`;
    const hint =
      sound.spoken === undefined
        ? 'Write "words" beside its source: a WebVTT or JSON file with the times of its words'
        : `The voice ${sound.spoken.voice} gives no times: its command can write them to the file $REELFORM_WORDS`;
    diagnostics.push(errorAt('words_missing', written.at, message, hint));
    return [];
  }
  const cues = cuesFromWords(heardWords(spoken, sound), limitsOf(written, frame));
  return cues.map((cue) => ({ cue, at: written.at }));
}

/** Moves words to where their sound is heard, without those that it does not play. */
function heardWords(words: readonly Word[], { transform }: VideoSound): Word[] {
  const { start = 0, trim_start_time: skipped = 0 } = transform;
  const moved = words.map((word) => ({
    ...word,
    start: word.start - skipped + start,
    end: word.end - skipped + start,
  }));
  return moved.filter((word) => word.start >= start);
}

/** Limits of captions that are not drawn. @see RULE_PROFILES.netflix */
const UNDRAWN: CueLimits = { lineWidth: 42, lines: 2 };
/** Mean width of a letter in ems, of a sans serif font; of capital letters. */
const LETTER = { normal: 0.53, upper: 0.68 };
/** Shape of a video whose template is not measured. */
const UNMEASURED = { width: 1920, height: 1080 };

/** Returns how much text a style shows at once. Only cues depend on it: a line is broken by its measured width when it is drawn. */
function limitsOf({ burn = true, style = {} }: WrittenCaptions, frame: CaptionFrame | null): CueLimits {
  if (!burn) return UNDRAWN;
  const { width, size, lines, words, tracking, ...full } = fullCaptionStyle(style);
  const { width: pixels, height } = frame ?? UNMEASURED;
  const letter = (full.case === 'upper' ? LETTER.upper : LETTER.normal) + tracking / 100;
  const em = (Math.min(pixels, height) * size) / 100;
  const lineWidth = Math.max(4, Math.floor((pixels * width) / 100 / (em * letter)));
  return { lineWidth, lines, ...defined({ words }) };
}

/** Captions with a style are drawn above the template, others in its own text if it has one. */
function specCaptions(
  { burn = true, style, fonts, lang, embed }: WrittenCaptions,
  cues: readonly Cue[],
  hasLayer: boolean,
): SpecCaptions {
  const layer = burn && style === undefined && hasLayer ? (true as const) : undefined;
  const drawn: CaptionStyle | undefined = burn && layer === undefined ? (style ?? {}) : undefined;
  return {
    cues,
    ...defined({ style: drawn, layer, fonts, lang, embed: embed === true ? (true as const) : undefined }),
  };
}
