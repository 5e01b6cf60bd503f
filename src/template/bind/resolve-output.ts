import { OUTPUT_DEFAULTS } from '../../wire/defaults.ts';
import type { OutputCodec, OutputFormat, OutputQuality, OutputRequest } from '../../wire/output.ts';
import type { Still } from '../scene.ts';
import type { TemplatePackage } from '../template-package.ts';

/** The file that is to be made of a template: its kind, and its measures with nothing left open. */
export interface ResolvedOutput {
  readonly output: {
    readonly format: OutputFormat;
    readonly quality: OutputQuality;
    /** Absent for the default. */
    readonly codec?: OutputCodec;
  };
  /** Pixels, both even. */
  readonly width: number;
  readonly height: number;
  /** Finite, > 0. */
  readonly fps: number;
  readonly frameCount: number;
  /** At frames of the output. */
  readonly stills: readonly Still[];
}

/** What of a template an output follows from. */
export type OutputBasis = Pick<TemplatePackage, 'width' | 'height' | 'fps' | 'frameCount' | 'stills'>;

/**
 * The measures of an output that is asked for. What is left out is the template's own; the format is MP4 with H.264, the quality high.
 *
 * - The height is taken as it is; the width follows with the template's proportions, to the nearest even number.
 * - The duration is the template's, to the nearest frame of the output, and at least one.
 * - A still at a time of the template is the frame of the output that is nearest to that time.
 *
 * @param output one that `checkOutput` found nothing wrong with
 */
export function resolveOutput(template: OutputBasis, output: OutputRequest = {}): ResolvedOutput {
  const { format = OUTPUT_DEFAULTS.format, quality = OUTPUT_DEFAULTS.quality } = output;
  const { height = template.height, fps = template.fps, codec = OUTPUT_DEFAULTS.codec } = output;
  const frameCount = Math.max(1, Math.round((template.frameCount * fps) / template.fps));
  const frameOf = ({ frame }: Still): number => Math.min(frameCount - 1, Math.round((frame * fps) / template.fps));
  return {
    output: { format, quality, ...(codec === OUTPUT_DEFAULTS.codec ? {} : { codec }) },
    width: widthFor(template, height),
    height,
    fps,
    frameCount,
    stills: template.stills.map((still) => ({ name: still.name, frame: frameOf(still) })),
  };
}

/** Pixels, even, and at least 2. */
function widthFor(template: Pick<OutputBasis, 'width' | 'height'>, height: number): number {
  return height === template.height
    ? template.width
    : 2 * Math.max(1, Math.round((height * template.width) / template.height / 2));
}
