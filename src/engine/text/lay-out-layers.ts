import { isRecord } from '../../kernel/json.ts';
import { mergeSettings } from '../../template/font-settings.ts';
import type { LottieNode } from '../../template/lottie/lottie-layers.ts';
import { fontList } from '../../template/lottie/slots/lottie-slots.ts';
import type { InputFont, LottieDocument } from '../../template/render-input.ts';
import { RenderError } from '../render-error.ts';
import { type FontStack, openStack } from './font-stack.ts';
import { layOutText, type TextLayout } from './lay-out-text.ts';
import type { FontToOpen } from './open-font.ts';
import { type TextLayer, type TextSpec, textLayers, textSpec } from './text-layers.ts';

/** Limit for a text in UTF-16 units; five times the limit of an editable. */
const MAX_LENGTH = 10_000;

/** A text document of a layer with its layout. */
export interface LaidOutText {
  readonly layer: TextLayer;
  readonly document: LottieNode;
  readonly spec: TextSpec;
  readonly stack: FontStack;
  readonly layout: TextLayout;
}

/**
 * Lays out every text of an animation, except texts whose font has only outlines in the animation and no file.
 *
 * @throws RenderError template_invalid for a font that is missing or unusable
 */
export async function layOutLayers(animation: LottieDocument, fonts: readonly InputFont[]): Promise<LaidOutText[]> {
  const named = animationFonts(animation, fonts);
  const fallbacks = fonts.filter((font) => font.isFallback);
  const texts: LaidOutText[] = [];
  for (const layer of textLayers(animation)) {
    for (const document of layer.documents) {
      const spec = textSpec(document);
      if (spec.text.length > MAX_LENGTH) {
        const message = `A text of the animation has ${spec.text.length} characters; the limit is ${MAX_LENGTH}`;
        throw new RenderError('template_invalid', message);
      }
      const font = named.get(spec.font);
      if (font?.file === null) continue;
      const candidates: FontToOpen[] = fallbacks.filter((fallback) => fallback !== font?.file);
      if (font !== undefined) candidates.unshift({ ...font.file, ...mergeSettings(font.file, spec.settings) });
      if (candidates.length === 0) {
        throw new RenderError('template_invalid', `The font ${spec.font} of a text has no file`, {
          imageName: spec.font,
        });
      }
      const stack = await openStack(spec.text, candidates);
      texts.push({ layer, document, spec, stack, layout: layOutText(spec, stack, font?.ascent ?? null) });
    }
  }
  return texts;
}

const EMBEDDED = /^data:[^,]*;base64,/;

/** A font that texts refer to by name. */
interface NamedFont {
  /** Null when the animation has outlines for it (`chars`) and there is no file. */
  readonly file: FontToOpen | null;
  /** The document's `ascent` in ems, which places the first line in a box. Null if the font's ascent applies. */
  readonly ascent: number | null;
}

/** Returns the fonts that texts of an animation can refer to: files of the input, embedded files, or outlines. */
function animationFonts(animation: LottieDocument, fonts: readonly InputFont[]): Map<string, NamedFont> {
  const named = new Map<string, NamedFont>();
  for (const font of fontList(animation)) {
    const name = String(font.fName);
    const file = fonts.find((candidate) => candidate.name === name) ?? embeddedFont(name, font.fPath);
    if (file === undefined && !hasOutlines(animation, font)) continue;
    const ascent = typeof font.ascent === 'number' && font.ascent > 0 ? font.ascent / 100 : null;
    named.set(name, { file: file ?? null, ascent });
  }
  for (const font of fonts) if (!named.has(font.name)) named.set(font.name, { file: font, ascent: null });
  return named;
}

function embeddedFont(name: string, path: unknown): NamedFont['file'] | undefined {
  if (typeof path !== 'string' || !EMBEDDED.test(path)) return undefined;
  return { name, bytes: Buffer.from(path.slice(path.indexOf(',') + 1), 'base64') };
}

function hasOutlines({ chars }: LottieDocument, { fFamily, fStyle }: LottieNode): boolean {
  return (
    Array.isArray(chars) && chars.some((char) => isRecord(char) && char.fFamily === fFamily && char.style === fStyle)
  );
}
