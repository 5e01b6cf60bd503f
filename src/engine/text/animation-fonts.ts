import { isRecord } from '../../json.ts';
import type { LottieNode } from '../../template/lottie/lottie-node.ts';
import type { LottieDocument, SceneFont } from '../../template/scene.ts';

const EMBEDDED = /^data:[^,]*;base64,/;

/** A font by the name that texts have for it. */
export interface NamedFont {
  /** Null where the animation has outlines of its own for it (`chars`), and no file is there. */
  readonly file: Pick<SceneFont, 'name' | 'bytes'> | null;
  /** `ascent` of the document in ems: where the first line of a box stands. Null for the font's own. */
  readonly ascent: number | null;
}

/** The fonts that the texts of an animation can name: files beside it or embedded in it, or outlines. */
export function animationFonts(animation: LottieDocument, fonts: readonly SceneFont[]): Map<string, NamedFont> {
  const named = new Map<string, NamedFont>();
  for (const font of fontList(animation)) {
    const name = String(font.fName);
    const file = fonts.find((one) => one.name === name) ?? embeddedFont(name, font.fPath);
    if (file === undefined && !hasOutlines(animation, font)) continue;
    const ascent = typeof font.ascent === 'number' && font.ascent > 0 ? font.ascent / 100 : null;
    named.set(name, { file: file ?? null, ascent });
  }
  for (const font of fonts) if (!named.has(font.name)) named.set(font.name, { file: font, ascent: null });
  return named;
}

/** `fonts.list`. */
export function fontList({ fonts }: LottieDocument): LottieNode[] {
  return isRecord(fonts) && Array.isArray(fonts.list) ? fonts.list.filter(isRecord) : [];
}

function embeddedFont(name: string, path: unknown): NamedFont['file'] | undefined {
  if (typeof path !== 'string' || !EMBEDDED.test(path)) return undefined;
  return { name, bytes: Buffer.from(path.slice(path.indexOf(',') + 1), 'base64') };
}

function hasOutlines({ chars }: LottieDocument, { fFamily, fStyle }: LottieNode): boolean {
  return Array.isArray(chars) && chars.some((one) => isRecord(one) && one.fFamily === fFamily && one.style === fStyle);
}
