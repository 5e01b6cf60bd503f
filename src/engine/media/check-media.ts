import { viewed } from '../../kernel/byte-view.ts';
import { wrongKind } from '../../kernel/file-kind.ts';
import { headOf, type SourceBytes } from '../../kernel/source-file.ts';
import { RenderError } from '../render-error.ts';
import { readGifFrames } from './decode-gif.ts';
import { type MediaType, mediaTypeOf } from './media-type.ts';
import { MAX_MEDIA_SECONDS, readMedia } from './open-media.ts';
import { openSoundTrack } from './open-sound-track.ts';
import { videoCodecName, videoDecoding } from './video-codec.ts';

export const MAX_CLIP_BYTES = 2_000_000_000;
export const MAX_CLIP_SIDE_PIXELS = 4096;
/** Limit for the pixels of all frames of a GIF together. */
export const MAX_GIF_PIXELS = 1_000_000_000;

const CONVERT_VIDEO = 'convert it to H.264 in MP4, or, to keep its alpha, to ProRes 4444 in MOV or VP9 in WebM';
const CLIP_TYPES = new Set<unknown>(['mp4', 'mov', 'webm', 'gif']);

/** Header data of a clip. */
interface ClipHeader {
  readonly type: 'mp4' | 'mov' | 'webm' | 'gif';
  /** Display size: upright, with square pixels. */
  readonly width: number;
  readonly height: number;
  readonly durationSeconds: number;
  /** Average rate; pictures may be unevenly spaced. */
  readonly fps: number;
  readonly hasSound: boolean;
}

/**
 * Checks a clip before native code decodes it: its type (by content; playlists are rejected), size and structure. Runs in
 * JavaScript and reads only these bytes.
 *
 * @param name as `InputClip.name`, for the error
 * @throws RenderError asset_type_unsupported, asset_too_large, asset_decode_failed
 */
export async function checkClip(bytes: SourceBytes, name: string): Promise<ClipHeader> {
  const fail = (code: RenderError['code'], text: string): never => {
    throw new RenderError(code, text, { imageName: name });
  };
  if (bytes.length > MAX_CLIP_BYTES) {
    fail('asset_too_large', `The clip has ${bytes.length} bytes; it may have up to ${MAX_CLIP_BYTES}`);
  }
  const type = mediaTypeOf(bytes);
  if (!CLIP_TYPES.has(type)) {
    fail('asset_type_unsupported', `The file ${wrongKind(headOf(bytes), 'an MP4, MOV or WebM video, or a GIF')}`);
  }
  const header = type === 'gif' ? gifHeader(bytes, name) : await videoHeader(bytes, type as ClipHeader['type'], name);
  const { width, height, durationSeconds } = header;
  if (Math.max(width, height) > MAX_CLIP_SIDE_PIXELS) {
    const text = `The clip has ${width} × ${height} pixels; each side may have up to ${MAX_CLIP_SIDE_PIXELS}`;
    fail('asset_too_large', text);
  }
  if (!(width >= 1 && height >= 1)) fail('asset_decode_failed', 'The clip has no size');
  if (!(durationSeconds >= 0)) fail('asset_decode_failed', 'The clip has no length');
  if (durationSeconds > MAX_MEDIA_SECONDS) {
    fail('asset_too_large', `The clip lasts ${Math.round(durationSeconds)} s; it may last up to ${MAX_MEDIA_SECONDS}`);
  }
  return header;
}

function gifHeader(bytes: SourceBytes, name: string): ClipHeader {
  const { width, height, frames } = readGifFrames(bytes, name);
  const durationSeconds = frames.reduce((sum, frame) => sum + frame.durationSeconds, 0);
  const pixels = frames.reduce((sum, frame) => sum + frame.width * frame.height, width * height);
  if (pixels > MAX_GIF_PIXELS) {
    throw new RenderError('asset_too_large', `The frames of the GIF have ${pixels} pixels in all`, { imageName: name });
  }
  return { type: 'gif', width, height, durationSeconds, fps: frames.length / durationSeconds, hasSound: false };
}

async function videoHeader(bytes: SourceBytes, type: ClipHeader['type'], name: string): Promise<ClipHeader> {
  return readMedia(bytes, name, async (input) => {
    const track = await input.getPrimaryVideoTrack();
    if (track === null) throw new RenderError('asset_type_unsupported', 'The file has no video', { imageName: name });
    if ((await videoDecoding(track, bytes)) === undefined) {
      const codec = await videoCodecName(track);
      const text = `The video's codec ${codec} is not supported; ${CONVERT_VIDEO}`;
      throw new RenderError('asset_type_unsupported', text, { imageName: name });
    }
    const coded = [await track.getCodedWidth(), await track.getCodedHeight()];
    const shown = [await track.getDisplayWidth(), await track.getDisplayHeight()];
    const [width, height] = Math.max(...coded) > MAX_CLIP_SIDE_PIXELS ? coded : shown;
    const { averagePacketRate } = await track.computePacketStats(100);
    return {
      type,
      width: width!,
      height: height!,
      durationSeconds: (await track.computeDuration()) - Math.max(0, await track.getFirstTimestamp()),
      fps: averagePacketRate,
      hasSound: (await input.getPrimaryAudioTrack()) !== null,
    };
  });
}

export const MAX_SOUND_BYTES = 200_000_000;
const CONVERT = 'convert it to MP3, WAV, or AAC in M4A';

/** Header data of a sound. */
interface SoundHeader {
  readonly type: Exclude<MediaType, 'gif'>;
  readonly durationSeconds: number;
  readonly sampleRate: number;
  readonly channels: number;
}

/**
 * Checks a sound before native code decodes it, as `checkClip` checks a clip. A file without sound is rejected.
 *
 * @param name as `InputSound.name`, for the error
 * @param maxBytes higher for the sound of a clip
 * @throws RenderError asset_type_unsupported, asset_too_large, asset_decode_failed
 */
export async function checkSound(bytes: SourceBytes, name: string, maxBytes = MAX_SOUND_BYTES): Promise<SoundHeader> {
  const fail = (code: RenderError['code'], text: string): never => {
    throw new RenderError(code, text, { imageName: name });
  };
  if (bytes.length > maxBytes) {
    fail('asset_too_large', `The sound has ${bytes.length} bytes; it may have up to ${maxBytes}`);
  }
  const type = mediaTypeOf(bytes);
  if (type === undefined || type === 'gif') {
    fail('asset_type_unsupported', `The file ${wrongKind(headOf(bytes), 'a supported sound', CONVERT)}`);
  }
  const open = await openSoundTrack(bytes, name);
  if (open === undefined) {
    // Most writers put the index last.
    if ((type === 'mp4' || type === 'mov') && !viewed(bytes, (file) => file.includes('moov'))) {
      fail('asset_decode_failed', 'The file is incomplete: its index (moov) is missing');
    }
    // mediabunny supports no other codecs in Ogg: a file of FLAC or Speex has no track.
    const text = type === 'ogg' ? `The Ogg file has no sound in Opus or Vorbis; ${CONVERT}` : 'The file has no sound';
    return fail('asset_type_unsupported', text);
  }
  open.close();
  const { firstSeconds, endSeconds, sampleRate, channels } = open.track;
  const durationSeconds = endSeconds - Math.max(0, firstSeconds);
  if (!(durationSeconds > 0)) fail('asset_decode_failed', 'The sound has no length');
  if (durationSeconds > MAX_MEDIA_SECONDS) {
    fail('asset_too_large', `The sound lasts ${Math.round(durationSeconds)} s; it may last up to ${MAX_MEDIA_SECONDS}`);
  }
  if (!(sampleRate >= 4_000 && sampleRate <= 384_000 && channels >= 1 && channels <= 16)) {
    fail('asset_type_unsupported', `A sound of ${channels} channels at ${sampleRate} Hz is not supported`);
  }
  return { type: type as SoundHeader['type'], durationSeconds, sampleRate, channels };
}
