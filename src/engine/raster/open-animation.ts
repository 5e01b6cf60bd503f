import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clearAllCache, LottieAnimation } from '@napi-rs/canvas';
import { temporaryFolder, tryToRemove } from '../../kernel/temporary-folder.ts';
import type { Clips } from '../media/clip-windows.ts';
import type { PictureFiles } from '../media/picture.ts';
import { RenderError } from '../render-error.ts';
import type { ComposedAnimation } from './compose-animation.ts';

/** Frames of the first window. Each following window has twice as many, within the memory limit. */
const FIRST_WINDOW_FRAMES = 2;
/** Pictures of earlier windows that are freed together: freeing takes as long as drawing a frame. */
const MAX_UNFREED_BYTES = 32_000_000;

/** An animation loaded by the rasteriser, with pictures of its clips for some frames. */
export interface LoadedAnimation {
  /** Replaced by some calls of `prepare`. */
  readonly animation: LottieAnimation;
  /** Loads the pictures of clips for a frame. @throws RenderError asset_decode_failed, asset_type_unsupported, template_invalid */
  prepare(frame: number): Promise<void>;
  close(): void;
}

/**
 * Loads an input's animation. If the input has clips, the animation is loaded again for each window of frames.
 *
 * @throws RenderError template_invalid
 */
export async function openAnimation(composed: ComposedAnimation): Promise<LoadedAnimation> {
  if (composed.clips.length === 0) {
    const animation = loadWith(composed);
    return { animation, prepare: async () => undefined, close: () => undefined };
  }
  // Loaded on demand: the code is large, and most inputs have no clips.
  const { openClips } = await import('../media/clip-windows.ts');
  return new WindowedAnimation(composed, await openClips(composed.clips, composed.ranges));
}

class WindowedAnimation implements LoadedAnimation {
  readonly #composed: ComposedAnimation;
  readonly #clips: Clips;
  animation: LottieAnimation;
  #window = { from: 0, to: 0 };
  #frames = FIRST_WINDOW_FRAMES;
  #unfreedBytes = 0;

  constructor(composed: ComposedAnimation, clips: Clips) {
    this.#composed = composed;
    this.#clips = clips;
    this.animation = loadWith(composed);
  }

  async prepare(frame: number): Promise<void> {
    const { from, to } = this.#window;
    if (frame >= from && frame < to) return;
    this.#frames = frame === to && to > 0 ? this.#frames * 2 : FIRST_WINDOW_FRAMES;
    const window = await this.#clips.window(frame, this.#frames);
    const files = await window.files();
    this.animation = loadWith(this.#composed, { assets: window.assets, files });
    this.#window = window;
    this.#unfreedBytes += files.reduce((sum, [, { length }]) => sum + length, 0);
    if (this.#unfreedBytes < MAX_UNFREED_BYTES) return;
    this.#unfreedBytes = 0;
    // V8 would free the pictures of earlier windows much later, and the rasteriser its fonts.
    globalThis.gc?.();
    clearAllCache();
  }

  close(): void {
    this.#clips.close();
  }
}

/** @param clips pictures of a window */
function loadWith(
  composed: ComposedAnimation,
  clips: { readonly assets: readonly object[]; readonly files: PictureFiles } = { assets: [], files: [] },
): LottieAnimation {
  const files = [...composed.files, ...clips.files];
  const json = composed.toJson(clips.assets, 'separate');
  if (files.length === 0) return load(json);
  try {
    return withPictureFiles(files, (folder) => load(json, folder));
  } catch (error) {
    // If files cannot be written, embedded images work too, but slower.
    if (error instanceof RenderError || clips.files.length > 0) throw error;
    return load(composed.toJson(clips.assets));
  }
}

/** @param folder from which images may be read; if absent, only the JSON is read */
function load(json: string, folder?: string): LottieAnimation {
  try {
    return LottieAnimation.loadFromData(json, folder === undefined ? {} : { resourcePath: folder });
  } catch (cause) {
    throw new RenderError('template_invalid', 'The rasterizer cannot load the animation', { cause });
  }
}

/**
 * Writes pictures to a temporary folder while an animation is loaded. The rasteriser maps the files into memory, which is several
 * times faster than decoding them from JSON, and mapped files stay readable after their removal. EDGE.
 *
 * @param load receives the folder
 */
function withPictureFiles<Result>(files: PictureFiles, load: (folder: string) => Result): Result {
  const folder = temporaryFolder('reelform-pictures-');
  try {
    for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
    return load(folder);
  } finally {
    // If a mapped file cannot be removed yet, a later cleanup removes the folder.
    tryToRemove(folder);
  }
}
