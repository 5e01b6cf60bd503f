import { keepTextSizes } from '../../../engine/inspect/keep-text-sizes.ts';
import {
  type CompareStills,
  measureTransparency,
  type Transparency,
} from '../../../engine/inspect/measure-transparency.ts';
import { isRecord } from '../../../kernel/json.ts';
import type { Evaluate } from '../../../template/expressions/bake-expressions.ts';
import { addBackground } from '../../../template/init/add-background.ts';
import { addOverlay, type TextPosition } from '../../../template/init/add-overlay.ts';
import type { FoundEditable } from '../../../template/init/editable-targets.ts';
import { initPackage, isPackage, type NewPackage } from '../../../template/init/init-package.ts';
import type { LottieSource } from '../../../template/init/lottie-source.ts';
import { fontList } from '../../../template/lottie/slots/lottie-slots.ts';
import { parseTemplatePackage } from '../../../template/parse-template-package.ts';
import type { LottieDocument } from '../../../template/render-input.ts';
import { sampleImage } from '../../../template/sample-mappings.ts';
import type { TemplatePackage } from '../../../template/template-package.ts';
import { bundledFont, type FoundFont, type MissingFont } from './find-fonts.ts';

/** Choices for a new package; a function asks only when the choice matters. */
interface BuildChoices {
  readonly name: string | undefined;
  readonly folder: string;
  readonly colorLayers: number | null;
  findFonts(missing: readonly MissingFont[]): Promise<readonly FoundFont[]>;
  /** Returns the background of a transparent animation: six hexadecimal digits, or null for none. */
  chooseBackground(found: Transparency): Promise<string | null>;
  /** Returns the position of texts in an animation without any, or null for none. */
  chooseText(): Promise<TextPosition | null>;
  readonly compare: CompareStills;
  /** Undefined for an animation without expressions. */
  readonly evaluate: Evaluate | undefined;
}

/** A package with everything that its animation needs. */
export interface BuiltPackage {
  readonly created: NewPackage;
  readonly template: TemplatePackage;
  readonly fonts: readonly FoundFont[];
  /** Colour of the added background: six hexadecimal digits; null if none was added. */
  readonly background: string | null;
  /** Whether a background is visible through the animation. */
  readonly isTransparent: boolean;
  readonly text: TextPosition | null;
  /** Paths of images that a placeholder replaces. */
  readonly placeholders: readonly string[];
}

/** Colours of added texts: six hexadecimal digits. */
const INK = { light: '111827', dark: 'FFFFFF' };
/** Maximum number of colours that are offered in an animation without editables of other kinds. */
const MAX_COLORS = 8;
const OVERLAY_FONT = 'Arimo-Bold';

/**
 * Makes a complete package of an animation: with substitutes for missing fonts and images, a background for a transparent
 * animation, and texts for an animation without texts.
 *
 * @returns the package, or the reasons why none can be made, as sentences
 */
export async function buildPackage(
  source: LottieSource,
  choices: BuildChoices,
): Promise<BuiltPackage | { readonly problems: readonly string[] }> {
  const { name, folder, compare, evaluate } = choices;
  // The first pass only finds what is missing. The background makes any animation editable.
  let backgroundKey = '';
  const withBackground =
    (color: string, more: (animation: LottieDocument, keys: Keys) => readonly FoundEditable[] = () => []) =>
    (animation: LottieDocument, keys: Keys): readonly FoundEditable[] => {
      const texts = more(animation, keys);
      const background = addBackground(animation, color, keys);
      backgroundKey = background.key;
      return [...texts, background];
    };
  const probe = initPackage(source, {
    name,
    evaluate,
    colorLayers: choices.colorLayers,
    addLayers: withBackground('FFFFFF'),
  });
  if (!isPackage(probe)) return probe;
  const colorLayers = choices.colorLayers ?? (probe.editables.length === 1 ? leastLayers(probe.colors) : null);
  const missing = probe.needs.filter(({ kind }) => kind === 'font').map(({ name: font }) => missingFont(font, source));
  const fonts = await choices.findFonts(missing);
  const placeholders = probe.needs.flatMap(({ kind, name: file }) => (kind === 'image' ? [file] : []));
  const complete = supply(source, fonts, placeholders);
  const options = { name, evaluate, colorLayers };
  const onWhite = initPackage(complete, { ...options, addLayers: withBackground('FFFFFF') });
  if (!isPackage(onWhite)) return onWhite;
  // Drawn before its texts are measured, which seldom changes the package.
  const draft = parse(onWhite, folder, fonts);
  if ('problems' in draft) return draft;
  const measuring = measureTransparency(draft.template, backgroundKey, compare);
  measuring.catch(() => undefined);
  await laterTurn();
  const sized = await keepTextSizes(onWhite);
  const measured = sized === onWhite ? draft : parse(sized, folder, fonts);
  if ('problems' in measured) return measured;
  const hasText = probe.editables.some(({ kind }) => kind === 'text');
  // Most animations with texts are opaque, and lack nothing else: made while another process draws.
  const unchanged = hasText ? build(complete, folder, fonts, options) : null;
  unchanged?.catch(() => undefined);
  const transparency = await (measured === draft
    ? measuring
    : measureTransparency(measured.template, backgroundKey, compare));

  const text = hasText ? null : await choices.chooseText();
  const chosen = transparency.isTransparent ? await choices.chooseBackground(transparency) : null;
  // Texts above or below the animation need something behind them.
  const background = chosen ?? (text === null || text === 'center' ? null : await transparency.color());
  const isOnlyEditable = measured.created.editables.length === 1;
  const color = background ?? (isOnlyEditable && text === null ? await transparency.color() : null);
  const ink = color === null || !isLight(color) ? INK.dark : INK.light;
  const overlay = (animation: LottieDocument, keys: Keys): readonly FoundEditable[] =>
    text === null ? [] : addOverlay(animation, { position: text, font: OVERLAY_FONT, color: ink }, keys);
  const overlayFonts = text === null ? [] : [{ ...bundledFont(OVERLAY_FONT), name: OVERLAY_FONT }];
  const addLayers = color === null ? overlay : withBackground(color, overlay);
  const isBare = text === null && color === null;
  const final = await (isBare && unchanged !== null
    ? unchanged
    : build(supply(complete, overlayFonts, []), folder, [...fonts, ...overlayFonts], { ...options, addLayers }));
  if ('problems' in final) return final;
  const { isTransparent } = transparency;
  return { ...final, fonts, background: color, isTransparent, text, placeholders };
}

/** Resolves in a later turn of the event loop, after what was sent in this one. */
function laterTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Returns a number of layers that few enough colours share; null if there is none. */
function leastLayers(colors: NewPackage['colors']): number | null {
  const counts = [...new Set(colors.map(({ layerCount }) => layerCount))].sort((a, b) => a - b);
  return counts.find((count) => colors.filter(({ layerCount }) => layerCount >= count).length <= MAX_COLORS) ?? null;
}

type Keys = Parameters<typeof addBackground>[2];
type FurtherFonts = readonly Pick<FoundFont, 'furtherFiles'>[];
type Built =
  | { readonly created: NewPackage; readonly template: TemplatePackage }
  | { readonly problems: readonly string[] };

async function build(
  source: LottieSource,
  folder: string,
  fonts: FurtherFonts,
  options: Parameters<typeof initPackage>[1],
): Promise<Built> {
  const initial = initPackage(source, options);
  return isPackage(initial) ? parse(await keepTextSizes(initial), folder, fonts) : initial;
}

/** Adds further files of fonts to a package, and parses it. */
function parse(initial: NewPackage, folder: string, fonts: FurtherFonts): Built {
  const furtherFiles = fonts.flatMap((font) =>
    [...font.furtherFiles].map(([file, bytes]) => [`fonts/${file}`, bytes] as const),
  );
  const created = { ...initial, files: new Map([...furtherFiles, ...initial.files]) };
  const parsed = parseTemplatePackage(folder, created.files);
  return parsed.ok
    ? { created, template: parsed.value }
    : { problems: parsed.diagnostics.map(({ message }) => message) };
}

/** Adds files to a source, as if they had come in its archive. */
function supply(
  source: LottieSource,
  fonts: readonly (Pick<FoundFont, 'name' | 'bytes'> & Partial<Pick<FoundFont, 'origin'>>)[],
  placeholders: readonly string[],
): LottieSource {
  const image = placeholders.length === 0 ? null : sampleImage('landscape');
  const substitutes = fonts.flatMap(({ name, origin }) => (origin === 'substitute' ? [name] : []));
  return {
    ...source,
    substitutes: new Set([...(source.substitutes ?? []), ...substitutes]),
    files: new Map([
      ...source.files,
      ...fonts.map(({ name, bytes }) => [`${name}.woff2`, bytes] as const),
      ...placeholders.map((path) => [path.replace(/^(?:\.?\/)+/, ''), image!] as const),
    ]),
  };
}

function missingFont(name: string, { animation }: LottieSource): MissingFont {
  const list = isRecord(animation) ? fontList(animation as unknown as LottieDocument) : [];
  const font = list.find(({ fName }) => fName === name);
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return { name, family: text(font?.fFamily), style: text(font?.fStyle) };
}

/** @see WCAG 2.2, "relative luminance"; without the linearisation, which does not matter here */
function isLight(color: string): boolean {
  const channel = (at: number): number => Number.parseInt(color.slice(at, at + 2), 16);
  return 0.2126 * channel(0) + 0.7152 * channel(2) + 0.0722 * channel(4) > 128;
}
