import type { SoundLength } from '../../contract/video-measures.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';
import { RenderError } from '../render-error.ts';
import { checkSound } from './check-media.ts';
import { mediaLength } from './examine-media.ts';
import { type OnCounted, openSound } from './open-sound.ts';

/**
 * Measures a sound, or the sound of a clip, by decoding it as the mixer does: headers declare lengths that are rounded, include the
 * delay of the encoder, or are wrong. Keeps no samples, so that memory use does not depend on the length.
 *
 * @param name for errors, as `InputSound.name`
 * @param onProgress as of `OpenSound.length`: a long sound takes longer than a process may stay silent
 * @throws RenderError asset_type_unsupported, asset_too_large, asset_decode_failed; the last also for a file whose end is missing, because
 * a scene that is as long as half a voice would look correct
 */
export async function soundLength(bytes: SourceBytes, name: string, onProgress?: OnCounted): Promise<SoundLength> {
  await checkSound(bytes, name);
  const { seconds, announced } = await mediaLength(bytes, name, 'audio');
  if (announced !== undefined) throw incomplete(name, seconds, announced);
  const sound = await openSound(bytes, name);
  if (sound === undefined)
    throw new RenderError('asset_type_unsupported', 'The file has no sound', { imageName: name });
  try {
    const length = await sound.length(onProgress);
    if (length.samples > 0) return length;
    throw new RenderError('asset_decode_failed', 'The sound has no samples', { imageName: name });
  } finally {
    sound.close();
  }
}

function incomplete(imageName: string, seconds: number, announced: number | null): RenderError {
  const declared = announced === null ? '' : ` of ${format(announced)}`;
  const text = `The file is incomplete: it contains ${format(seconds)}${declared} s of sound`;
  return new RenderError('asset_decode_failed', text, { imageName });
}

function format(seconds: number): string {
  return String(Number(seconds.toFixed(2)));
}
