import type { SafeAreaName } from '../../template/lint-severities.ts';
import { LAYER_TYPE } from '../../template/lottie/lottie-layers.ts';
import { DrawnImages } from '../../template/lottie/visibility/drawn-images.ts';
import { DrawnLayers } from '../../template/lottie/visibility/drawn-layers.ts';
import { type LayerSpan, layerSpans } from '../../template/lottie/visibility/layer-spans.ts';
import type { InputDocument, RenderInput } from '../../template/render-input.ts';
import { withCaptions } from '../captions/captions-of-range.ts';
import { layerTexts, withLayerText } from '../captions/layer-text.ts';
import { checkInput } from '../check-input.ts';
import { evaluateInput } from '../expressions/evaluate-input.ts';
import { animationFramesPerFrame } from '../frame-rate.ts';
import { readImageHeader } from '../images/image-header.ts';
import { placeImage } from '../images/place-image.ts';
import { mediaFindings } from '../input-media.ts';
import { type FindingMoment, type LintDefect, type LintFinding, momentAt, type PictureBox } from '../lint-finding.ts';
import { distinctFindings, type TextFinding, textFindings } from '../text/text-findings.ts';
import { filledTextLayers } from '../text/text-layers.ts';
import { findFlashes } from './flashes.ts';
import { lintTexts } from './lint-texts.ts';
import { MeasuredFrames } from './measured-frames.ts';
import { withSharedLayers } from './shared-layers.ts';
import { lintDirections } from './text-direction.ts';
import { boxAround, type Polygon, rectangle, TextGeometry, transformed, visibleArea } from './text-geometry.ts';
import { lintLeftovers } from './text-leftovers.ts';

/** What to find in an input: everything, or a part that takes about as long as the other. */
export type LintPart = 'all' | 'flashes' | 'others';

/**
 * Finds the defects that viewers of a video would notice: missing glyphs, texts that overflow or have low contrast,
 * images enlarged until they blur, clips and sounds that end early, and flashes. Each finding has the frame that shows it best.
 * Draws on the calling thread.
 *
 * @param safeArea area in which texts must lie; null for the whole picture
 * @param measuredFrames receives the frames that were measured
 * @returns `others`, then `flashes`
 * @throws RenderError for an input that cannot be drawn
 */
export async function lintInput(
  source: RenderInput,
  safeArea: SafeAreaName | null = null,
  part: LintPart = 'all',
  measuredFrames = new MeasuredFrames(),
): Promise<LintFinding[]> {
  checkInput(source);
  // Texts of the template are measured without the captions above them.
  const { captions: _, ...designed } = source;
  const renderInput = await lintable(designed);
  const media = part === 'flashes' ? [] : await mediaFindings(renderInput);
  const [longest] = layerTexts(renderInput.captionLayers);
  const filled = { ...renderInput, animation: withLayerText(renderInput.animation, longest) };
  const others = part === 'flashes' ? [] : await lintDocument(filled, media, safeArea, measuredFrames);
  if (part === 'others') return others;
  return [...others, ...(await lintFlashes(withCaptions(renderInput, source.captions), measuredFrames.isLast))];
}

/** Returns a document as lint draws it. */
export async function lintable<Document extends InputDocument>(source: Document): Promise<Document> {
  return withSharedLayers(await evaluateInput(source));
}

/**
 * Finds everything except flashes.
 *
 * @param renderInput see `lintable`
 * @param media defects of its clips and sounds
 * @param measuredFrames receives the frames that were measured
 */
export async function lintDocument(
  renderInput: RenderInput,
  media: readonly LintDefect[],
  safeArea: SafeAreaName | null,
  measuredFrames: MeasuredFrames,
): Promise<LintFinding[]> {
  const moments = findBestMoments(renderInput);
  const { animation, fonts } = renderInput;
  // The longest cue is in the document already; glyphs and sizes of the others differ.
  const documents = layerTexts(renderInput.captionLayers)
    .slice(1)
    .map((text) => withLayerText(animation, text));
  const ofDocuments: TextFinding[] = [];
  for (const document of [animation, ...documents]) ofDocuments.push(...(await textFindings(document, fonts)));
  const findings = distinctFindings(ofDocuments);
  const found: LintDefect[] = findings.flatMap((finding): LintDefect[] => {
    const { editable, text, font, characters, overflow } = finding;
    const moment = editable === null ? undefined : moments.get(editable);
    if (editable === null || moment === undefined) return [];
    return finding.code === 'glyph_missing'
      ? [{ code: 'glyph_missing', editable, ...moment, characters, font }]
      : [{ code: 'text_overflow', editable, ...moment, text, beyond: 'box', overflow }];
  });
  found.push(...lintLeftovers(renderInput.animation, moments));
  const misdirected = [animation, ...documents].flatMap((document) => lintDirections(document, moments));
  // One for each editable: each drawing that shows a text has it.
  found.push(...new Map(misdirected.map((defect) => [defect.editable, defect])).values());
  found.push(
    ...(await lintTexts(renderInput, moments, safeArea, measuredFrames)),
    ...(await lintPictures(renderInput, moments)),
    ...media,
  );
  const boxes = found.length === 0 ? null : await FindingBoxes.open(renderInput);
  return found.map((defect) => {
    return { ...defect, box: defect.editable === null ? null : boxes!.at(defect.editable, defect.frame) };
  });
}

async function lintFlashes(renderInput: RenderInput, isLast: boolean): Promise<LintFinding[]> {
  return (await findFlashes(renderInput, isLast)).map(({ frame, ...flashes }) => ({
    code: 'flashes',
    editable: null,
    ...momentAt(renderInput, frame),
    ...flashes,
  }));
}

/** Images enlarged by more than this factor look blurred. */
const MAX_ENLARGEMENT = 1.5;
/** Two sizes count as equal from this ratio on. */
const EQUAL_RATIO = 0.99;

/**
 * Finds images and clips of editables that are enlarged until they blur. Compares the pixels of the visible part with the pixels
 * that it covers when it is drawn largest.
 *
 * @param moments by editable; editables that no frame shows are ignored
 */
async function lintPictures(
  renderInput: RenderInput,
  moments: ReadonlyMap<string, FindingMoment>,
): Promise<LintDefect[]> {
  const drawn = new DrawnImages(renderInput.animation);
  const largest = drawn.largest();
  // Enlargement by an output larger than the animation is the user's choice and ignored.
  const scale = Math.min(1, renderInput.height / renderInput.animation.h);
  const filled = new Set(renderInput.animation.assets?.map(({ editable }) => editable));
  const pictures = [
    ...renderInput.images.map((image) => [image, readImageHeader(image.bytes)] as const),
    ...(await readClips(renderInput)),
  ];
  return pictures.flatMap(([image, header]): LintDefect[] => {
    const moment = moments.get(image.name);
    const largestScale = largest.get(image.assetId);
    if (moment === undefined || largestScale === undefined || !filled.has(image.name)) return [];
    const placement = header === undefined ? undefined : placeImage(header, image, image.transform);
    if (placement === undefined) return [];
    const { source, target } = placement;
    const [width, height] = [Math.min(source.width, target.width), Math.min(source.height, target.height)];
    const [areaWidth, areaHeight] = [target.width * largestScale.x * scale, target.height * largestScale.y * scale];
    if (Math.max(areaWidth / width, areaHeight / height) <= MAX_ENLARGEMENT) return [];
    const sizes = {
      width: Math.round(width),
      height: Math.round(height),
      areaWidth: Math.round(areaWidth),
      areaHeight: Math.round(areaHeight),
    };
    const isLarge = source.width >= target.width && source.height >= target.height;
    const isClip = renderInput.clips.some((clip) => clip === image);
    const pictureKind = isClip ? 'clip' : 'image';
    const limit = isLarge ? 'asset' : pictureKind;
    const scaleAtMoment = drawn.at((moment.frame * renderInput.animation.fr) / renderInput.fps).get(image.assetId);
    const isLargest =
      scaleAtMoment !== undefined &&
      Math.max(scaleAtMoment.x / largestScale.x, scaleAtMoment.y / largestScale.y) >= EQUAL_RATIO;
    const shownAt = isLargest ? moment : momentOf(renderInput, largestScale.frame);
    return [{ code: 'image_too_small', editable: image.name, ...shownAt, ...sizes, limit }];
  });
}

/** Returns the clips with their sizes. Loads the code on demand: it is as large as all other code of lint, and few inputs have clips. */
async function readClips({ clips }: RenderInput) {
  if (clips.length === 0) return [];
  const { checkClip } = await import('../media/check-media.ts');
  return Promise.all(clips.map(async (clip) => [clip, await checkClip(clip.bytes, clip.name)] as const));
}

/** @param frame of the animation */
function momentOf(renderInput: RenderInput, frame: number): FindingMoment {
  return momentAt(
    renderInput,
    Math.min(renderInput.frameCount - 1, Math.round((frame * renderInput.fps) / renderInput.animation.fr)),
  );
}

/**
 * Returns the frame that shows the text, image or clip of each editable best: the still farthest from the ends of its
 * visibility, or else the middle of its longest visible span. Editables that no frame shows are absent.
 */
function findBestMoments(renderInput: RenderInput): Map<string, FindingMoment> {
  const assets = new Map([...renderInput.images, ...renderInput.clips].map(({ assetId, name }) => [assetId, name]));
  const texts = new Map(filledTextLayers(renderInput.animation).map(({ layer, editable }) => [layer, editable]));
  const shown = new Map<string, LayerSpan[]>();
  for (const span of layerSpans(renderInput.animation)) {
    const editable = texts.get(span.layer) ?? assets.get(String(span.layer.refId));
    if (editable === undefined || editable === null) continue;
    const spans = shown.get(editable);
    if (spans === undefined) shown.set(editable, [span]);
    else spans.push(span);
  }
  return new Map([...shown].map(([editable, spans]) => [editable, bestMoment(renderInput, spans)]));
}

function bestMoment({ stills, animation, fps, frameCount }: RenderInput, spans: readonly LayerSpan[]): FindingMoment {
  const perFrame = animation.fr / fps;
  const margin = (frame: number): number =>
    Math.max(...spans.map(({ from, to }) => Math.min(frame * perFrame - from, to - 1 - frame * perFrame)));
  const [still] = stills.filter(({ frame }) => margin(frame) >= 0).sort((a, b) => margin(b.frame) - margin(a.frame));
  if (still !== undefined) return momentAt({ fps, stills }, still.frame);
  const [longest] = [...spans].sort((a, b) => b.to - b.from - (a.to - a.from));
  const frame = Math.min(frameCount - 1, Math.floor((longest!.from + longest!.to) / 2 / perFrame));
  return momentAt({ fps, stills: [] }, frame);
}

/** Finds the positions of editables in the picture from the layout of texts and the areas of images and clips. */
class FindingBoxes {
  readonly #renderInput: RenderInput;
  readonly #texts: TextGeometry;
  readonly #pictures: DrawnLayers;

  /** @throws RenderError template_invalid for a font that is missing or unusable */
  static async open(renderInput: RenderInput): Promise<FindingBoxes> {
    return new FindingBoxes(renderInput, await TextGeometry.open(renderInput));
  }

  private constructor(renderInput: RenderInput, texts: TextGeometry) {
    this.#renderInput = renderInput;
    this.#texts = texts;
    this.#pictures = new DrawnLayers(renderInput.animation, ({ ty }) => ty === LAYER_TYPE.image);
  }

  /** Returns the box around all layers of an editable, within the picture. @param frame of the output */
  at(editable: string, frame: number): PictureBox | null {
    const texts = this.#texts
      .at(frame)
      .filter(({ laidOut }) => laidOut.layer.editable === editable)
      .flatMap(({ lines }) => lines);
    return boxAround([...texts, ...this.#areasOf(editable, frame)], visibleArea(this.#renderInput));
  }

  #areasOf(editable: string, frame: number): Polygon[] {
    const { images, clips, animation } = this.#renderInput;
    const filled = [...images, ...clips].filter(({ name }) => name === editable);
    if (filled.length === 0) return [];
    const sizes = new Map(
      (animation.assets ?? []).map((asset) => [asset.id, [Number(asset.w), Number(asset.h)] as const]),
    );
    const perFrame = animationFramesPerFrame(this.#renderInput);
    return this.#pictures.at(frame * perFrame).flatMap(({ layer, matrix }) => {
      const id = String(layer.refId);
      const size = filled.some(({ assetId }) => assetId === id) ? sizes.get(id) : undefined;
      return size === undefined ? [] : [rectangle(0, 0, ...size).map(([x, y]) => transformed(matrix, x, y))];
    });
  }
}
