import { bindMapping } from '../../template/bind/bind-mapping.ts';
import type { RenderInput } from '../../template/render-input.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { packRenderInput } from '../packed-input.ts';
import type { ComparedStill, StillComparison } from '../stills/compare-stills.ts';
import { withUnpackedFonts } from '../text/open-font.ts';

/** Draws stills of two inputs and compares them. */
export type CompareStills = (comparison: StillComparison) => Promise<readonly ComparedStill[]>;

/** Background colours to choose from: six hexadecimal digits. */
const LIGHT = 'FFFFFF';
const DARK = '111827';

const HEIGHT = 240;
const FRAMES = 7;
/** An animation counts as transparent from this share of pixels. */
const MIN_TRANSPARENT_SHARE = 0.002;
/** The dark background is chosen if the light background shows less than this share of the content that the dark shows. */
const MIN_LIGHT_RATIO = 0.6;

/** Visibility of a background behind an animation. */
export interface Transparency {
  /** Largest share of a frame's pixels through which a background is visible, 0..1. */
  readonly share: number;
  readonly isTransparent: boolean;
  /** Finds the background colour on which most of the animation is visible: six hexadecimal digits. Draws the frames four times more. */
  color(): Promise<string>;
}

/**
 * Measures how much of a background is visible behind an animation, by drawing a few frames with two colours.
 *
 * @param template whose last layer is a background
 * @param key editable with the colour of the background
 */
export async function measureTransparency(
  template: TemplatePackage,
  key: string,
  compare: CompareStills,
): Promise<Transparency> {
  const last = template.frameCount - 1;
  const frames = [...new Set(Array.from({ length: FRAMES }, (_, index) => Math.round((index * last) / (FRAMES - 1))))];
  const stills = frames.map((frame) => ({ name: `frame_${frame}`, frame }));
  const height = Math.min(HEIGHT, template.height);
  const on = (text: string): RenderInput => {
    const resources = { [key]: { source: { text } } };
    return { ...bindMapping(template, { resources, output: { height } }, new Map()), sounds: [], stills };
  };
  const shares = async (before: RenderInput, after: RenderInput): Promise<number[]> => {
    const compared = await compare({
      before: packRenderInput(await withUnpackedFonts(before)),
      after: packRenderInput(await withUnpackedFonts(after)),
      jpegQuality: null,
    });
    return compared.map(({ changedShare }) => changedShare ?? 0);
  };
  const share = Math.max(...(await shares(on('000000'), on('FFFFFF'))));
  const visible = async (color: string): Promise<number> => {
    const renderInput = on(color);
    const found = await shares(withoutContent(renderInput), renderInput);
    return found.reduce((sum, changed) => sum + changed, 0);
  };
  const clearest = async (): Promise<string> => {
    const [light, dark] = [await visible(LIGHT), await visible(DARK)];
    return light < dark * MIN_LIGHT_RATIO ? DARK : LIGHT;
  };
  let color: Promise<string> | null = null;
  return {
    share,
    isTransparent: share > MIN_TRANSPARENT_SHARE,
    color() {
      color ??= clearest();
      return color;
    },
  };
}

/** Returns the input with only its background. */
function withoutContent(renderInput: RenderInput): RenderInput {
  const { animation } = renderInput;
  const layers = animation.layers.slice(-1);
  return { ...renderInput, animation: { ...animation, layers, assets: [] }, fonts: [], images: [], clips: [] };
}
