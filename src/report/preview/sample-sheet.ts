import type { Resource } from '../../contract/wire/mapping.ts';
import { packRenderInput } from '../../engine/packed-input.ts';
import { withUnpackedFonts } from '../../engine/text/open-font.ts';
import { bindMapping } from '../../template/bind/bind-mapping.ts';
import type { InputFont, RenderInput } from '../../template/render-input.ts';
import {
  type SampleMapping,
  type SampleName,
  type SampleShape,
  sampleImage,
  sampleMappings,
} from '../../template/sample-mappings.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { even, type SheetPicture, type SheetText, sheetInput } from './contact-sheet.ts';
import type { PreviewRenderer } from './preview-video.ts';

/** Pictures of a template that was filled with sample values. */
export interface SamplePictures {
  readonly sample: SampleName;
  /** In the order of the template's stills. */
  readonly stills: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly width: number;
  readonly height: number;
}

const JPEG_QUALITY = 85;
/** Range of the longer side of a picture in pixels. */
const SIDE = { least: 320, most: 640 };
/** Stills beyond this number are left out. */
const MAX_STILLS = 4;

/**
 * Draws the stills of a template with each sample mapping, as JPEG. Checkered areas are transparent.
 *
 * @throws RenderError for a package that cannot be drawn
 */
export async function drawSamples(
  template: TemplatePackage,
  draw: Pick<PreviewRenderer, 'compare'>,
): Promise<SamplePictures[]> {
  const longerSide = Math.max(template.width, template.height);
  const scale = Math.min(SIDE.most, Math.max(SIDE.least, longerSide)) / longerSide;
  const height = Math.max(2, 2 * Math.round((template.height * scale) / 2));
  const images = new Map<SampleShape, Uint8Array>();
  const imageOf = (shape: SampleShape): Uint8Array => {
    const bytes = images.get(shape) ?? sampleImage(shape);
    images.set(shape, bytes);
    return bytes;
  };
  const drawSample = async (sample: SampleMapping, renderInput: RenderInput): Promise<SamplePictures> => {
    const input = await withUnpackedFonts(renderInput);
    const after = packRenderInput({ ...input, stills: renderInput.stills.slice(0, MAX_STILLS) });
    const drawn = await draw.compare({ before: null, after, jpegQuality: JPEG_QUALITY });
    const stills = drawn.map((still, index) => ({ name: renderInput.stills[index]!.name, bytes: still.after! }));
    return { sample: sample.name, stills, width: renderInput.width, height: renderInput.height };
  };
  const drawings: Promise<SamplePictures>[] = [];
  const samples = sampleMappings(template.spec);
  const laterShapes = new Set(samples.flatMap(({ images }) => [...images.values()])).values();
  for (const sample of samples) {
    // Prepared while the samples before it are drawn, which are sent first.
    await new Promise((resolve) => setImmediate(resolve));
    const renderInput = inputOf(template, sample, height, imageOf);
    // An image takes as long as drawing a sample, so each is prepared with a sample that does not need it yet.
    const shape = drawings.length === 0 ? undefined : laterShapes.next().value;
    if (shape !== undefined) imageOf(shape);
    // Two at once: a process prepares one while it encodes the pictures of the other.
    await drawings.at(-2);
    const drawing = drawSample(sample, renderInput);
    // Awaited later, unless another sample fails before.
    drawing.catch(() => undefined);
    drawings.push(drawing);
  }
  return Promise.all(drawings);
}

function inputOf(
  template: TemplatePackage,
  { texts, images }: SampleMapping,
  height: number,
  imageOf: (shape: SampleShape) => Uint8Array,
): RenderInput {
  const resources: Record<string, Resource> = {};
  for (const [key, text] of texts) resources[key] = { source: { text } };
  for (const key of images.keys()) resources[key] = { source: { remote_url: '' } };
  const bytes = new Map([...images].map(([key, shape]) => [key, imageOf(shape)]));
  // Stills have no sound.
  return { ...bindMapping(template, { resources, output: { height } }, bytes), sounds: [] };
}

/** Lengths in pixels. */
const SHEET_WIDTH = 1_344;
const PICTURE_SIDE = 320;
const GAP = 8;
const MARGIN = 24;
const LABEL_HEIGHT = 28;
const LABEL_SIZE = 15;

/**
 * Lays out the pictures of a template on a sheet, with a label above each sample.
 *
 * @param options.font of the labels
 * @param options.label returns the label of a sample
 */
export function sampleSheet(
  samples: readonly SamplePictures[],
  { font, label }: { readonly font: InputFont; label(sample: SampleName): string },
): RenderInput {
  const [first] = samples;
  const { width: w = 1, height: h = 1 } = first ?? {};
  const scale = PICTURE_SIDE / Math.max(w, h);
  const [width, height] = [Math.max(1, Math.round(w * scale)), Math.max(1, Math.round(h * scale))];
  const columns = Math.max(...samples.map(({ stills }) => stills.length), 1);
  const groupWidth = Math.max(columns * (width + GAP) - GAP, LABEL_SIZE * 14);
  const groups = Math.max(1, Math.floor((SHEET_WIDTH - MARGIN) / (groupWidth + MARGIN)));
  const texts: SheetText[] = [];
  const pictures: SheetPicture[] = [];
  for (const [index, { sample, stills }] of samples.entries()) {
    const x = MARGIN + (index % groups) * (groupWidth + MARGIN);
    const y = MARGIN + Math.floor(index / groups) * (LABEL_HEIGHT + height + MARGIN);
    texts.push({ x, y: y + LABEL_SIZE, text: label(sample), size: LABEL_SIZE });
    for (const [column, { bytes }] of stills.entries()) {
      pictures.push({ x: x + column * (width + GAP), y: y + LABEL_HEIGHT, width, height, bytes });
    }
  }
  const used = Math.min(groups, samples.length);
  const rows = Math.ceil(samples.length / groups);
  return sheetInput({
    width: even(MARGIN + used * (groupWidth + MARGIN)),
    height: even(MARGIN + rows * (LABEL_HEIGHT + height + MARGIN)),
    texts,
    pictures,
    fonts: [font],
  });
}
