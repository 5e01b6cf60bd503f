import type { InputVideoTrack } from 'mediabunny';
import type { SourceBytes } from '../../kernel/source-file.ts';
import type { VideoDecoding } from '../codec/decoder.ts';
import { bytesOf } from './open-media.ts';
import { sampleDescription } from './sample-description.ts';

/** Codecs that can be decoded, by the names of `mediabunny`. */
const CODECS: ReadonlySet<string | null> = new Set(['avc', 'hevc', 'vp8', 'vp9', 'av1']);
const PRORES = /^ap(?:co|cs|cn|ch|4h|4x)$/;
/** Codecs of QuickTime that `mediabunny` does not know, by the format of their sample description. */
const QUICKTIME: Readonly<Record<string, VideoDecoding['codec']>> = { 'rle ': 'qtrle', 'png ': 'png' };
/** QuickTime Animation with fewer bits refers to a palette. */
const ANIMATION_DEPTHS = new Set([16, 24, 32]);

/** Names of other codecs that editors and cameras write, by the format of their sample description. */
const NAMES: Readonly<Record<string, string>> = {
  'rle ': 'QuickTime Animation with a palette',
  AVdn: 'DNxHD',
  AVdh: 'DNxHR',
  CFHD: 'CineForm',
  jpeg: 'Motion JPEG',
  mp4v: 'MPEG-4 Visual',
  cvid: 'Cinepak',
  'dvc ': 'DV',
  dvcp: 'DV',
  v210: 'uncompressed 4:2:2',
  '2vuy': 'uncompressed 4:2:2',
  aprn: 'ProRes RAW',
  aprh: 'ProRes RAW HQ',
};

/**
 * Returns what a decoder needs to know about a track; undefined if its codec cannot be decoded.
 *
 * @param bytes of the file, which `openMedia` has accepted
 */
export async function videoDecoding(track: InputVideoTrack, bytes: SourceBytes): Promise<VideoDecoding | undefined> {
  const codec = await track.getCodec();
  const config = await track.getDecoderConfig();
  if (codec !== null && CODECS.has(codec) && config !== null) {
    return { codec, description: config.description === undefined ? undefined : bytesOf(config.description) };
  }
  const format = await track.getInternalCodecId();
  if (typeof format !== 'string') return undefined;
  const size = { width: await track.getCodedWidth(), height: await track.getCodedHeight() };
  if (codec === 'prores') return PRORES.test(format) ? { codec, format, ...size } : undefined;
  const quicktime = codec === null ? QUICKTIME[format] : undefined;
  if (quicktime === undefined) return undefined;
  const depth = sampleDescription(bytes, track.id)?.depth ?? 0;
  if (quicktime === 'qtrle' && !ANIMATION_DEPTHS.has(depth)) return undefined;
  return { codec: quicktime, format, depth, ...size };
}

/** Returns the name of a track's codec, even if it cannot be decoded. */
export async function videoCodecName(track: InputVideoTrack): Promise<string> {
  const format = await track.getInternalCodecId();
  const formatName = typeof format === 'string' ? (NAMES[format] ?? format.trim()) : 'of an unknown kind';
  return (await track.getCodec()) ?? formatName;
}
