import { readFile, writeFile } from 'node:fs/promises';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { expect } from 'vitest';
import { checkInput } from '../../src/engine/check-input.ts';
import { drawStills } from '../../src/engine/stills/draw-stills.ts';
import type { RenderInput } from '../../src/template/render-input.ts';

const UPDATE = process.env.UPDATE_FRAMES === '1';

/** Draws a frame of an input on this thread, as a PNG. */
export async function drawFrame(renderInput: RenderInput, frame: number): Promise<Uint8Array> {
  const only = { ...renderInput, stills: [{ name: 'frame', frame }] };
  checkInput(only);
  const [still] = await drawStills(only, () => undefined);
  return still!.bytes;
}

/** Decodes an image file to RGBA. */
export async function pixels(png: Uint8Array): Promise<{ width: number; height: number; data: Uint8ClampedArray }> {
  const picture = await loadImage(Buffer.from(png));
  const context = createCanvas(picture.width, picture.height).getContext('2d');
  context.drawImage(picture, 0, 0);
  return context.getImageData(0, 0, picture.width, picture.height);
}

/**
 * Compares a frame with the PNG stored under its name. No channel of any pixel may differ by more than 24 of 255, nor by more
 * than 0.5 on average, because another build of the rasteriser may smooth edges differently. UPDATE_FRAMES=1 stores the
 * frame; check the result by eye.
 */
export async function expectFrame(renderInput: RenderInput, frame: number, name: string): Promise<void> {
  const path = new URL(`frames/${name}.png`, import.meta.url);
  const png = await drawFrame(renderInput, frame);
  if (UPDATE) await writeFile(path, png);
  const [drawn, stored] = await Promise.all([pixels(png), pixels(await readFile(path))]);
  expect([drawn.width, drawn.height]).toEqual([stored.width, stored.height]);
  const differences = drawn.data.map((value, at) => Math.abs(value - stored.data[at]!));
  expect(differences.reduce((most, value) => Math.max(most, value), 0)).toBeLessThanOrEqual(24);
  expect(differences.reduce((sum, value) => sum + value, 0) / differences.length).toBeLessThan(0.5);
}
