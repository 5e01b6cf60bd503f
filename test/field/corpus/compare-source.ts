import { readImageHeader } from '../../../src/engine/images/image-header.ts';
import { keepTextSizes } from '../../../src/engine/inspect/keep-text-sizes.ts';
import { textFindings } from '../../../src/engine/text/text-findings.ts';
import { bindMapping } from '../../../src/template/bind/bind-mapping.ts';
import { settingsOfStyle } from '../../../src/template/font-settings.ts';
import { initPackage, isPackage } from '../../../src/template/init/init-package.ts';
import { upgradeDocument } from '../../../src/template/init/normalize-document.ts';
import { usedFonts } from '../../../src/template/lottie/slots/lottie-slots.ts';
import { findUnsupported } from '../../../src/template/lottie/unsupported/find-unsupported.ts';
import { parseTemplatePackage } from '../../../src/template/parse-template-package.ts';
import type { InputFont, LottieDocument, RenderInput } from '../../../src/template/render-input.ts';
import { evaluator } from '../../support/evaluator.ts';
import { drawInput, inputOf } from '../draw-input.ts';
import { FIELD_FONT } from '../field-font.ts';
import type { Ground, Reference } from '../lottie-web.ts';
import { comparedFrames, comparedSize, isEmpty } from '../measure.ts';
import { pictureDifference } from '../picture-difference.ts';

/** Frames compared of each animation. */
const FRAMES = 3;
/** Times the size at which what differs is compared again. */
const LARGE = 3;
/** More than the edges of an animation cover. */
const MAX_EDGES = 0.05;
/** Share of differing pixels in the worst frame up to which an animation counts as right. */
const RIGHT = 0.01;

/** Result of one animation. */
export interface Comparison {
  readonly outcome:
    | 'right'
    /** Differs in the antialiasing of edges and small texts: is right at three times the size, with less than half the difference. */
    | 'edges'
    /** Differs from lottie-web, and each frame is as one of the two players draws it. */
    | 'disputed'
    /** Wrong, and neither `template init` nor a finding says so. */
    | 'silent'
    /** Wrong, and reported as using unsupported features. */
    | 'reported'
    | 'refused'
    | 'crashed'
    /** Nothing to compare with: both players fail or draw nothing, or files are missing. */
    | 'no_reference';
  /** Share of differing pixels in the worst frame, 0..1; null if nothing was compared. */
  readonly share: number | null;
  /** The same compared with ThorVG; absent where lottie-web decides. */
  readonly thorvg?: number;
  /** Unsupported features in use, or the reason for a refusal. */
  readonly detail: string;
}

/** Players to compare with. */
export interface References {
  readonly lottieWeb: Reference;
  readonly thorvg: Reference;
}

const failed = (outcome: Comparison['outcome'], detail: string): Comparison => ({ outcome, share: null, detail });

/**
 * Makes a template of an animation, draws three of its frames, and compares them with lottie-web; what differs is compared again at
 * three times the size. ThorVG decides where lottie-web fails or draws something else. Animations of which nothing is seen on black
 * are drawn on white.
 */
export async function compareSource(animation: unknown, { lottieWeb, thorvg }: References): Promise<Comparison> {
  // All texts are set in the same font: lottie-web would draw every text with outlines, editable or not.
  const { chars: _, ...source } = animation as LottieDocument;
  const made = await makeInput(structuredClone(source));
  if ('outcome' in made) return made;
  const { renderInput, unsupported } = made;
  const frames = comparedFrames(renderInput.animation, FRAMES);
  const { width, height } = comparedSize(renderInput.animation);
  const document = referenceOf(source, renderInput);
  // ThorVG does not read the colours of old documents.
  const upgraded = structuredClone(document);
  upgradeDocument(upgraded);
  const sharesOf = async (player: Reference, scale: number): Promise<number[] | string> => {
    const shown = player === thorvg ? upgraded : document;
    const [w, h] = [width * scale, height * scale];
    for (const ground of ['black', 'white'] as const) {
      const theirs = await player.draw(shown, frames, w, h, ground).catch(String);
      if (typeof theirs === 'string') return theirs;
      if (theirs.every((picture) => isEmpty(picture, ground))) continue;
      const ours = await drawInput({ ...onGround(renderInput, ground), width: w, height: h }, frames);
      return ours.map((picture, index) => pictureDifference(picture, theirs[index]!));
    }
    return 'nothing is drawn in any frame';
  };
  const isRightLarge = async (player: Reference, share: number): Promise<boolean> => {
    if (share > MAX_EDGES) return false;
    const shares = await sharesOf(player, LARGE);
    return typeof shares !== 'string' && Math.max(...shares) <= Math.min(RIGHT, share / 2);
  };
  const detail = unsupported.join(', ');
  // What `template check` reports of the texts, with the font of the comparison.
  const texts = await textFindings(renderInput.animation, renderInput.fonts).catch(() => []);
  const told = [...unsupported, ...new Set(texts.map(({ code }) => code))].join(', ');
  const wrong = told === '' ? 'silent' : 'reported';
  const first = await sharesOf(lottieWeb, 1);
  if (typeof first === 'string') {
    const second = await sharesOf(thorvg, 1);
    if (typeof second === 'string') return failed('no_reference', first);
    const share = Math.max(...second);
    const outcome = share <= RIGHT ? 'right' : (await isRightLarge(thorvg, share)) ? 'edges' : wrong;
    return { outcome, share, thorvg: share, detail: (outcome === 'reported' ? told : detail) || first };
  }
  const share = Math.max(...first);
  if (share <= RIGHT) return { outcome: 'right', share, detail };
  if (await isRightLarge(lottieWeb, share)) return { outcome: 'edges', share, detail };
  const second = await sharesOf(thorvg, 1);
  if (typeof second === 'string') return { outcome: wrong, share, detail: told };
  const isDisputed = first.every((one, index) => Math.min(one, second[index]!) <= RIGHT);
  const both = { share, thorvg: Math.max(...second) };
  return isDisputed ? { outcome: 'disputed', ...both, detail } : { outcome: wrong, ...both, detail: told };
}

/** Puts a white layer below all others. */
function onGround(renderInput: RenderInput, ground: Ground): RenderInput {
  if (ground === 'black') return renderInput;
  const { animation } = renderInput;
  const still = (k: unknown): object => ({ a: 0, k });
  const ks = { o: still(100), r: still(0), p: still([0, 0, 0]), a: still([0, 0, 0]), s: still([100, 100, 100]) };
  const { w: sw, h: sh, ip, op } = animation;
  const layer = { ty: 1, nm: 'ground', ip, op, st: 0, ks, sw, sh, sc: '#ffffff' };
  return { ...renderInput, animation: { ...animation, layers: [...animation.layers, layer] } };
}

/** Returns the input of a new template with its own values, or why there is none. */
async function makeInput(
  animation: unknown,
): Promise<{ renderInput: RenderInput; unsupported: string[] } | Comparison> {
  const source = {
    name: 'animation',
    animation,
    files: new Map(),
    furtherAnimations: [],
    readAdjacent: () => null,
    adjacentFonts: [],
    readImage: readImageHeader,
  };
  const evaluate = await evaluator();
  let created = initPackage(source, { colorLayers: null, evaluate });
  if (!isPackage(created)) created = initPackage(source, { colorLayers: 1, evaluate });
  if (!isPackage(created)) {
    // Animations without anything to edit are no templates, but they are drawn all the same.
    if (!/^(?:The animation has nothing to edit|No frame shows)/.test(created.problems[0]!)) {
      return failed('refused', created.problems[0]!);
    }
    const renderInput = {
      ...(await inputOf(animation as LottieDocument)),
      fonts: usedFonts(animation as LottieDocument).map(fieldFont),
    };
    return { renderInput, unsupported: featuresOf(renderInput.animation) };
  }
  const missing = created.needs.filter(({ kind }) => kind !== 'font');
  if (missing.length > 0) return failed('no_reference', `needs ${missing.map(({ path }) => path).join(', ')}`);
  const supplied = new Map(created.files);
  for (const { path } of created.needs) supplied.set(path, FIELD_FONT);
  const complete = await keepTextSizes({ ...created, files: supplied });
  const parsed = parseTemplatePackage('', complete.files);
  if (!parsed.ok) return failed('refused', parsed.diagnostics[0]!.message);
  const renderInput = bindMapping(parsed.value, { resources: {} }, new Map());
  return { renderInput, unsupported: featuresOf(created.animation) };
}

function fieldFont(name: string): InputFont {
  return { name, bytes: FIELD_FONT, isFallback: false, ...settingsOfStyle({}) };
}

function featuresOf(animation: LottieDocument): string[] {
  // What `template init` removed was not drawn, so it explains no difference.
  const uses = findUnsupported(animation).filter(({ feature }) => feature !== 'removed');
  return [...new Set(uses.map(({ feature, what }) => `${feature}: ${what}`))];
}

/** Returns the source with the size of the input, and with its texts set in the same font. */
function referenceOf(source: LottieDocument, { animation: { w, h } }: RenderInput): LottieDocument {
  // An odd size lost a row or column; a size that was scaled shows the same.
  const isScaled = Math.max(source.w - w, source.h - h) > 1;
  const reference: LottieDocument = { ...structuredClone(source), ...(isScaled ? {} : { w, h }) };
  const fonts = reference.fonts as { list?: Record<string, unknown>[] } | undefined;
  if (fonts?.list === undefined) return reference;
  for (const font of fonts.list) {
    if (String(font.fPath ?? '').startsWith('data:')) continue;
    Object.assign(font, { fFamily: 'Letters', fStyle: 'Regular', fPath: '', origin: 0 });
  }
  return reference;
}
