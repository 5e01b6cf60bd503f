import type { FontResource, Mapping } from '../../contract/wire/mapping.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { isRecord } from '../../kernel/json.ts';
import { mergeSettings, STYLE_SETTINGS, settingsIn } from '../font-settings.ts';
import type { LottieNode } from '../lottie/lottie-layers.ts';
import { outlinedFonts } from '../lottie/slots/glyph-outlines.ts';
import { fontList, fontNames, isReplaced, usedStyles } from '../lottie/slots/lottie-slots.ts';
import type { FontSlot } from '../parse-manifest.ts';
import type { FontSettings, InputFont, LottieDocument } from '../render-input.ts';
import type { PackageFont, TemplatePackage } from '../template-package.ts';

type FontRequest = Pick<Mapping, 'resources' | 'font_changes'>;

/**
 * Replaces the fonts of an animation's texts: by the first font editable that applies to the text, or else by
 * `font_changes`. Adds the new fonts to `fonts.list`, with the ascent of the replaced font, so that the first line of a text
 * box stays in place.
 *
 * @param animation modified
 * @returns the fonts that the input needs: those of texts, then the fallbacks in order
 * @throws ReelformError template_invalid for a font that is not in the package
 */
export function bindFonts(animation: LottieDocument, template: TemplatePackage, request: FontRequest): InputFont[] {
  const choose = fontChoice(template, request);
  const list = fontList(animation);
  animation.fonts = { ...(isRecord(animation.fonts) && animation.fonts), list };
  // By name; of several entries with the same name, the first wins.
  const listed = new Map([...list].reverse().map((font) => [font.fName, font]));
  for (const { style, editable } of usedStyles(animation)) {
    const { chosen, settings: ofSlot } = choose(style.f, editable);
    const settings = settingsIn(mergeSettings(ofSlot, template.manifest.editables.get(editable ?? '')?.settings ?? {}));
    delete style[STYLE_SETTINGS];
    if (settings !== null) style[STYLE_SETTINGS] = settings;
    if (chosen === style.f) continue;
    if (!listed.has(chosen)) {
      const font = listedFont(chosen, listed.get(style.f));
      listed.set(chosen, font);
      list.push(font);
    }
    style.f = chosen;
  }
  const fallbacks = new Set(template.fallbackFonts);
  const outlined = outlinedFonts(template.animation);
  const isDrawnByFile = (name: string): boolean => template.fonts.has(name) || !outlined.has(name);
  const named = [...new Set(fontNames(animation))].filter((name) => !fallbacks.has(name) && isDrawnByFile(name));
  return [...named, ...fallbacks].map((name) => {
    const font = fontOf(template, name);
    return { ...settingsIn(font), name, bytes: font.bytes, isFallback: fallbacks.has(name) };
  });
}

/** A font and the settings of the editable that chooses it. */
interface FontChoice {
  readonly chosen: string;
  readonly settings: FontSettings;
}

/** @returns a function from a text's font and editable to its new font */
function fontChoice(
  { manifest }: TemplatePackage,
  { resources, font_changes: changes = {} }: FontRequest,
): (font: string, editable: string | null) => FontChoice {
  const slots = [...manifest.editables].flatMap(([key, { font, settings }]): (FontSlot & FontChoice)[] => {
    const resource = Object.hasOwn(resources, key) ? resources[key] : undefined;
    if (font === null || resource === undefined) return [];
    return [{ ...font, settings, chosen: (resource as FontResource).source.font }];
  });
  // An editable for certain texts takes precedence over an editable for all texts.
  slots.sort((a, b) => Number(a.texts === null) - Number(b.texts === null));
  return (font, editable) => {
    const slot = slots.find((candidate) => isReplaced(candidate, font, editable));
    if (slot !== undefined) return slot;
    return { chosen: Object.hasOwn(changes, font) ? changes[font]!.source.font : font, settings: {} };
  };
}

/** @param replaced the entry of the font to replace */
function listedFont(name: string, replaced: LottieNode | undefined): LottieNode {
  const [, family = name, style = 'Regular'] = /^(.+)-([^-]+)$/.exec(name) ?? [];
  return { fName: name, fFamily: family, fStyle: style, ascent: replaced?.ascent ?? 75, origin: 3 };
}

function fontOf(template: TemplatePackage, name: string): PackageFont {
  const file = template.fonts.get(name) ?? template.extraFonts.get(name);
  if (file !== undefined) return file;
  throw new ReelformError('template_invalid', `The template has no font ${name}`);
}
