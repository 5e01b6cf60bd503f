import { DrawnImages } from '../../template/lottie/drawn-images.ts';
import { type LayerSpan, layerSpans } from '../../template/lottie/layer-spans.ts';
import type { LottieNode } from '../../template/lottie/lottie-layers.ts';
import { normalizeLineBreaks, textStyles } from '../../template/lottie/lottie-slots.ts';
import type { Scene } from '../../template/scene.ts';
import { checkScene } from '../check-scene.ts';
import { readImageHeader } from '../images/image-header.ts';
import { placeImage } from '../images/place-image.ts';
import { mediaFindings } from '../scene-media.ts';
import { textFindings } from '../text/text-findings.ts';
import { filledTextLayers } from '../text/text-layers.ts';
import type { FindingMoment, LintFinding } from './lint-finding.ts';
import { measureTextVisibility, type TextVisibility } from './text-visibility.ts';

/** @see https://www.w3.org/TR/WCAG22/#contrast-minimum */
const NEEDED = { large: 3, small: 4.5 };
/** Minimum font size of large text, in pixels of a picture of 1,080 lines. */
const LARGE = 24;

/**
 * Finds the defects that viewers of a video would notice: missing glyphs, texts that overflow or have low contrast,
 * images enlarged until they blur, and clips and sounds that end early. Each finding has the frame at which it is best
 * seen. Draws on the calling thread.
 *
 * @throws SceneError for a scene that cannot be drawn
 */
export async function lintScene(scene: Scene): Promise<LintFinding[]> {
  checkScene(scene);
  const mediaDefects = await mediaFindings(scene);
  const moments = findBestMoments(scene);
  const texts = new Set(filledTextLayers(scene.animation).map(({ editable }) => editable));
  const findings = await textFindings(scene.animation, scene.fonts);
  const found: LintFinding[] = findings.flatMap((finding): LintFinding[] => {
    const { editable, text, font, characters, overflow } = finding;
    const moment = editable === null ? undefined : moments.get(editable);
    if (editable === null || moment === undefined) return [];
    return finding.code === 'glyph_missing'
      ? [{ code: 'glyph_missing', editable, ...moment, characters, font }]
      : [{ code: 'text_overflow', editable, ...moment, text, beyond: 'box', overflow }];
  });
  const seen = new Map([...moments].filter(([editable]) => texts.has(editable)));
  for (const [editable, visibility] of await measureTextVisibility(scene, seen)) {
    found.push(...lintText(scene, editable, seen.get(editable)!, visibility));
  }
  return [...found, ...lintImages(scene, moments), ...mediaDefects];
}

function lintText(
  scene: Scene,
  editable: string,
  moment: FindingMoment,
  { ratio, isCut }: TextVisibility,
): LintFinding[] {
  const styles = stylesOf(scene, editable);
  const size = Math.max(...styles.map(({ s }) => Number(s))) * (1080 / scene.animation.h);
  const needed = size >= LARGE ? NEEDED.large : NEEDED.small;
  const text = normalizeLineBreaks(styles[0]?.t ?? '');
  return [
    ...(ratio < needed ? [{ code: 'low_contrast', editable, ...moment, ratio, needed } as const] : []),
    ...(isCut ? [{ code: 'text_overflow', editable, ...moment, text, beyond: 'frame', overflow: null } as const] : []),
  ];
}

function stylesOf(scene: Scene, editable: string) {
  const layers = filledTextLayers(scene.animation).filter((one) => one.editable === editable);
  return layers.flatMap(({ layer }) => textStyles((layer.t as { d: LottieNode }).d));
}

/** Images enlarged more than this look blurred. */
const MOST_ENLARGED = 1.5;
/** Ratio from which two sizes count as equal. */
const SAME = 0.99;

/**
 * Finds images of editables that are enlarged until they blur. Compares the pixels available for the visible part with
 * the pixels that it covers where it is drawn largest.
 *
 * @param moments by editable; images that no frame shows are ignored
 */
function lintImages(scene: Scene, moments: ReadonlyMap<string, FindingMoment>): LintFinding[] {
  const drawn = new DrawnImages(scene.animation);
  const largest = drawn.largest();
  // An output larger than the animation enlarges everything, by the user's choice.
  const scale = Math.min(1, scene.height / scene.animation.h);
  const filled = new Set(scene.animation.assets?.map(({ editable }) => editable));
  return scene.images.flatMap((image): LintFinding[] => {
    const moment = moments.get(image.name);
    const most = largest.get(image.assetId);
    if (moment === undefined || most === undefined || !filled.has(image.name)) return [];
    const header = readImageHeader(image.bytes);
    const placement = header === undefined ? undefined : placeImage(header, image, image.transform);
    if (placement === undefined) return [];
    const { source, target } = placement;
    const [width, height] = [Math.min(source.width, target.width), Math.min(source.height, target.height)];
    const [areaWidth, areaHeight] = [target.width * most.x * scale, target.height * most.y * scale];
    if (Math.max(areaWidth / width, areaHeight / height) <= MOST_ENLARGED) return [];
    const sizes = {
      width: Math.round(width),
      height: Math.round(height),
      areaWidth: Math.round(areaWidth),
      areaHeight: Math.round(areaHeight),
    };
    const isLarge = source.width >= target.width && source.height >= target.height;
    const limit = isLarge ? 'asset' : 'image';
    const there = drawn.at((moment.frame * scene.animation.fr) / scene.fps).get(image.assetId);
    const isLargest = there !== undefined && Math.max(there.x / most.x, there.y / most.y) >= SAME;
    const shownAt = isLargest ? moment : momentOf(scene, most.frame);
    return [{ code: 'image_too_small', editable: image.name, ...shownAt, ...sizes, limit }];
  });
}

/** @param frame of the animation */
function momentOf({ fps, frameCount, animation, stills }: Scene, frame: number): FindingMoment {
  const own = Math.min(frameCount - 1, Math.round((frame * fps) / animation.fr));
  const still = stills.find((one) => one.frame === own)?.name ?? null;
  return { frame: own, seconds: own / fps, still };
}

/**
 * Returns the frame at which each text, image and clip of an editable is best seen: the still that is farthest from the
 * ends of its visibility, otherwise the middle of its longest visible span. Editables that no frame shows are absent.
 */
function findBestMoments(scene: Scene): Map<string, FindingMoment> {
  const assets = new Map([...scene.images, ...scene.clips].map(({ assetId, name }) => [assetId, name]));
  const texts = new Map(filledTextLayers(scene.animation).map(({ layer, editable }) => [layer, editable]));
  const shown = new Map<string, LayerSpan[]>();
  for (const span of layerSpans(scene.animation)) {
    const editable = texts.get(span.layer) ?? assets.get(String(span.layer.refId));
    if (editable === undefined || editable === null) continue;
    const known = shown.get(editable);
    if (known === undefined) shown.set(editable, [span]);
    else known.push(span);
  }
  return new Map([...shown].map(([editable, spans]) => [editable, bestMoment(scene, spans)]));
}

function bestMoment({ stills, animation, fps, frameCount }: Scene, spans: readonly LayerSpan[]): FindingMoment {
  const perFrame = animation.fr / fps;
  const margin = (frame: number): number =>
    Math.max(...spans.map(({ from, to }) => Math.min(frame * perFrame - from, to - 1 - frame * perFrame)));
  const [still] = stills.filter(({ frame }) => margin(frame) >= 0).sort((a, b) => margin(b.frame) - margin(a.frame));
  if (still !== undefined) return { frame: still.frame, seconds: still.frame / fps, still: still.name };
  const [longest] = [...spans].sort((a, b) => b.to - b.from - (a.to - a.from));
  const frame = Math.min(frameCount - 1, Math.floor((longest!.from + longest!.to) / 2 / perFrame));
  return { frame, seconds: frame / fps, still: null };
}
