import { CAPTION_FONTS, type SpecCaptions } from '../../contract/captions/caption-style.ts';
import { readVtt } from '../../contract/captions/read-vtt.ts';
import { CAPTION_STYLE_FIELDS } from '../../contract/fields/caption-style-fields.ts';
import { expectedValue, type Fields, isValueOf } from '../../contract/fields/field.ts';
import { type CaptionsRequest, MAX_CAPTIONS_LENGTH, MAX_CUES } from '../../contract/wire/captions.ts';
import type { RequestProblem } from '../../contract/wire/problem.ts';
import { NO_SCENE_ID, type ScenesRequest } from '../../contract/wire/scene-request.ts';
import { hasCaptionsLayer, type StyleVersion } from '../../contract/wire/style-version.ts';
import { checkUrl } from '../../template/bind/check-mapping.ts';

/**
 * Validates the captions of a video and of its scenes. Those at a URL are validated when they are fetched.
 *
 * @param specs of the templates of the scenes, whose fonts captions may use
 */
export function checkCaptions(
  { captions, scenes }: Pick<ScenesRequest, 'captions' | 'scenes'>,
  specs: readonly Pick<StyleVersion, 'fonts' | 'available_fonts' | 'editables'>[],
): RequestProblem[] {
  const fonts = [...new Set([...CAPTION_FONTS, ...specs.flatMap((spec) => spec.available_fonts ?? spec.fonts)])];
  const ofScenes = scenes.flatMap(({ id, captions: ofScene }, index) => {
    const problems =
      ofScene === undefined
        ? []
        : problemsOf(ofScene, `#/scenes/${index}/captions`, { fonts, specs: specs.slice(index, index + 1) });
    return id === NO_SCENE_ID ? problems : problems.map((problem) => ({ ...problem, scene: id }));
  });
  return captions === undefined ? ofScenes : [...problemsOf(captions, '#/captions', { fonts, specs }), ...ofScenes];
}

function problemsOf(
  { source, style, layer, fonts = [] }: CaptionsRequest,
  at: string,
  {
    fonts: known,
    specs,
  }: { readonly fonts: readonly string[]; readonly specs: readonly Pick<StyleVersion, 'editables'>[] },
): RequestProblem[] {
  const problem = (path: string, detail: string, code = 'definition_invalid'): RequestProblem => {
    return { code, pointer: `${at}/${path}`, detail };
  };
  return [
    ...('text' in source
      ? textProblems(source.text).map((detail) => problem('source/text', detail))
      : checkUrl(source.remote_url).map(({ detail, code }) => problem('source/remote_url', detail, code))),
    ...styleProblems(style ?? {}).map(([name, detail]) => problem(`style/${name}`, detail)),
    ...(layer === true ? layerProblems(style, specs).map((detail) => problem('layer', detail)) : []),
    ...(style?.font === undefined || known.includes(style.font)
      ? []
      : [problem('style/font', missing(style.font, known), 'font_missing')]),
    ...fonts.flatMap((name, index) =>
      known.includes(name) ? [] : [problem(`fonts/${index}`, missing(name, known), 'font_missing')],
    ),
  ];
}

function layerProblems(style: CaptionsRequest['style'], specs: readonly Pick<StyleVersion, 'editables'>[]): string[] {
  if (style !== undefined) return ['layer cannot be used with style'];
  return specs.some(hasCaptionsLayer) ? [] : ['no template of the captions has a text of kind captions'];
}

/** Returns what makes a text unusable as captions. */
export function textProblems(text: string): string[] {
  if (text.length > MAX_CAPTIONS_LENGTH) return [`${text.length} characters, at most ${MAX_CAPTIONS_LENGTH}`];
  const { cues, diagnostics } = readVtt('captions.vtt', text);
  if (cues.length > MAX_CUES) return [`${cues.length} cues, at most ${MAX_CUES}`];
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);
}

function styleProblems({
  axes: _,
  features: __,
  ...fields
}: NonNullable<SpecCaptions['style']>): [name: string, detail: string][] {
  const table: Fields = CAPTION_STYLE_FIELDS;
  return Object.entries(fields).flatMap(([name, value]): [string, string][] => {
    const field = Object.hasOwn(table, name) ? table[name] : undefined;
    if (field === undefined) return [[name, `a style has no ${name}`]];
    return isValueOf(field, value) ? [] : [[name, `${name} must be ${expectedValue(field)}`]];
  });
}

function missing(name: string, known: readonly string[]): string {
  return `neither a template nor Reelform has the font ${name}; there are ${known.join(', ')}`;
}
