import { createCanvas, loadImage } from '@napi-rs/canvas';
import type { VideoInput } from '../template/render-input.ts';
import { type OnStill, renderStills } from './render-stills.ts';
import type { RenderedStill } from './rendered-file.ts';
import { nameScenes } from './scenes/name-scenes.ts';
import type { StillImage } from './stills/draw-stills.ts';
import type { TextFinding } from './text/text-findings.ts';
import { typesetTexts } from './text/typeset-texts.ts';

const JPEG_QUALITY = 90;

interface RenderPictureOptions {
  /** Called after each picture. */
  readonly onProgress?: OnStill | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface RenderedPicture {
  /** PNG without a comment. */
  readonly picture: Uint8Array;
  /** In the input's order. */
  readonly stills: readonly RenderedStill[];
  /** Missing glyphs and overflowing texts. */
  readonly findings: readonly TextFinding[];
}

/**
 * Renders an input as a single PNG: the frame of its first still, or frame 0 without stills. Renders the stills over black,
 * as for a video.
 *
 * @param renderInput checked, with its media examined
 * @throws as `renderFile`
 */
export async function renderPicture(
  renderInput: VideoInput,
  { signal, onProgress }: RenderPictureOptions,
): Promise<RenderedPicture> {
  signal?.throwIfAborted();
  const { width, height } = renderInput;
  const drawn = renderInput.stills.length > 0 ? renderInput.stills : [{ name: 'picture', frame: 0 }];
  const pictures = await renderStills({ ...renderInput, stills: drawn }, onProgress, true);
  const findings = await findingsOf(renderInput);
  const stills: RenderedStill[] = [];
  for (const picture of renderInput.stills.length > 0 ? pictures : []) {
    signal?.throwIfAborted();
    stills.push(await overBlack(picture, width, height));
  }
  return { picture: pictures[0]!.bytes, stills, findings };
}

/** Returns the defects of all texts, also of scenes that the picture does not show. */
async function findingsOf(video: VideoInput): Promise<readonly TextFinding[]> {
  if (!('scenes' in video)) return (await typesetTexts(video.animation, video.fonts)).findings;
  const findings: TextFinding[] = [];
  for (const [index, { animation, fonts }] of video.scenes.entries()) {
    const typeset = await typesetTexts(animation, fonts);
    findings.push(...nameScenes(typeset.findings, video.timeline, index));
  }
  return findings;
}

/** JPEG has no alpha channel. */
async function overBlack({ name, bytes }: StillImage, width: number, height: number): Promise<RenderedStill> {
  const canvas = createCanvas(width, height);
  canvas.getContext('2d', { alpha: false }).drawImage(await loadImage(Buffer.from(bytes)), 0, 0);
  return { name, bytes: await canvas.encode('jpeg', JPEG_QUALITY), width, height };
}
