import type { Scene } from '../../template/scene.ts';
import type { AudioCodec, AudioTrack } from '../audio-track.ts';

/**
 * The scene's sounds, mixed and compressed, exactly as long as its video; null where it has none.
 *
 * @throws SceneError asset_type_unsupported, asset_decode_failed, asset_too_large with the sound's name
 * @throws ReelformError encoder_missing
 */
export async function makeSound({ sounds }: Scene, _codec: AudioCodec): Promise<AudioTrack | null> {
  if (sounds.length === 0) return null;
  throw new Error('Internal error: sounds are not mixed yet');
}
