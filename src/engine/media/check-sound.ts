import { SceneError } from '../scene-error.ts';
import { isPcm } from './decode-pcm.ts';
import { mediaTypeOf } from './media-type.ts';
import { codecName, MAX_MEDIA_SECONDS, readMedia, SOUND_CODECS } from './open-media.ts';

export const MAX_SOUND_BYTES = 200_000_000;
const CONVERT = 'convert it to MP3, WAV, or AAC in M4A';

/** What a sound says of itself. */
export interface SoundHeader {
  readonly type: 'mp4' | 'mov' | 'webm' | 'mp3' | 'wav' | 'flac' | 'ogg' | 'aac';
  readonly durationSeconds: number;
  readonly sampleRate: number;
  readonly channels: number;
}

/**
 * Refuses what no decoder should see: a type that is not accepted (by content; playlists among them), too many bytes, a
 * structure that makes no sense, a file without sound. Reads the file's structure alone, in JavaScript, and nothing but these bytes.
 *
 * @param name as `SceneSound.name`, for the error
 * @param maxBytes the sound of a clip may lie in a larger file
 * @throws SceneError asset_type_unsupported, asset_too_large, asset_decode_failed
 */
export async function checkSound(bytes: Uint8Array, name: string, maxBytes = MAX_SOUND_BYTES): Promise<SoundHeader> {
  const fail = (code: SceneError['code'], text: string): never => {
    throw new SceneError(code, text, { imageName: name });
  };
  if (bytes.length > maxBytes) {
    fail('asset_too_large', `The sound has ${bytes.length} bytes; it may have up to ${maxBytes}`);
  }
  const type = mediaTypeOf(bytes);
  if (type === undefined || type === 'gif') {
    fail('asset_type_unsupported', `The file is no sound that can be used; ${CONVERT}`);
  }
  const header = await readMedia(bytes, name, async (input): Promise<SoundHeader> => {
    const track = await input.getPrimaryAudioTrack();
    if (track === null) {
      // The reader knows no other codec in Ogg: a file of FLAC or Speex has no track.
      const other = `The Ogg file has no sound in Opus or Vorbis; ${CONVERT}`;
      return fail('asset_type_unsupported', type === 'ogg' ? other : 'The file has no sound');
    }
    const isKnown = SOUND_CODECS.has(await track.getCodec()) || isPcm((await track.getCodec()) ?? '');
    if (!isKnown || (await track.getDecoderConfig()) === null) {
      const codec = await codecName(track);
      return fail('asset_type_unsupported', `The sound's codec ${codec} is not supported; ${CONVERT}`);
    }
    return {
      type: type as SoundHeader['type'],
      durationSeconds: (await track.computeDuration()) - Math.max(0, await track.getFirstTimestamp()),
      sampleRate: await track.getSampleRate(),
      channels: await track.getNumberOfChannels(),
    };
  });
  const { durationSeconds, sampleRate, channels } = header;
  if (!(durationSeconds > 0)) fail('asset_decode_failed', 'The sound has no length');
  if (durationSeconds > MAX_MEDIA_SECONDS) {
    fail('asset_too_large', `The sound lasts ${Math.round(durationSeconds)} s; it may last up to ${MAX_MEDIA_SECONDS}`);
  }
  if (!(sampleRate >= 4_000 && sampleRate <= 384_000 && channels >= 1 && channels <= 16)) {
    fail('asset_type_unsupported', `A sound of ${channels} channels at ${sampleRate} Hz is not supported`);
  }
  return header;
}
