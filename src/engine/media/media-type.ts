import { isUnsupportedPicture } from '../../kernel/file-kind.ts';
import { headOf, type SourceBytes } from '../../kernel/source-file.ts';

/** Type of a media file. `webm` includes all other Matroska files. */
export type MediaType = 'mp4' | 'mov' | 'webm' | 'gif' | SoundFileType;

/** Type of a file that contains sound only. */
export type SoundFileType = 'mp3' | 'wav' | 'flac' | 'ogg' | 'aac' | PacketFileType;

/** Type of a sound file that this folder reads itself. `caf` is Apple's Core Audio Format, `wma` any ASF file. */
export type PacketFileType = 'aiff' | 'caf' | 'ac3' | 'wma';

/** The first half of the GUID of ASF's header object. */
const ASF = [0x30_26_b2_75, 0x8e_66_cf_11] as const;

/** Boxes at the start of QuickTime files without `ftyp`. */
const OLD_QUICKTIME = new Set(['moov', 'mdat', 'wide', 'free', 'skip', 'pnot']);

/**
 * Detects the type of a media file by its content; undefined for any other file, including playlists.
 *
 * @see ISO/IEC 14496-12, 4.3 (`ftyp`); RFC 9559, 8 (EBML); RFC 3533, 6; RFC 9639, 6; ISO/IEC 11172-3, 2.4.1.3; ETSI TS 102 366, 4.3
 */
export function mediaTypeOf(source: SourceBytes): MediaType | undefined {
  const bytes = headOf(source);
  if (bytes.length < 16) return undefined;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, 16);
  const text = (from: number, to: number): string => head.toString('latin1', from, to);
  if (text(4, 8) === 'ftyp') {
    if (isUnsupportedPicture(bytes)) return undefined;
    return text(8, 12) === 'qt  ' ? 'mov' : 'mp4';
  }
  if (OLD_QUICKTIME.has(text(4, 8))) return 'mov';
  if (head.readUInt32BE(0) === 0x1a45dfa3) return 'webm';
  if (text(0, 6) === 'GIF87a' || text(0, 6) === 'GIF89a') return 'gif';
  if (text(8, 12) === 'WAVE' && (text(0, 4) === 'RIFF' || text(0, 4) === 'RF64')) return 'wav';
  if (text(0, 4) === 'fLaC') return 'flac';
  if (text(0, 4) === 'OggS') return 'ogg';
  if (text(0, 4) === 'FORM' && /^AIF[FC]$/.test(text(8, 12))) return 'aiff';
  if (text(0, 4) === 'caff') return 'caf';
  if (head.readUInt32BE(0) === ASF[0] && head.readUInt32BE(4) === ASF[1]) return 'wma';
  if (head.readUInt16BE(0) === 0x0b77) return 'ac3';
  if (text(0, 3) === 'ID3') return 'mp3';
  // A frame header: eleven bits of synchronisation; layer 0 is ADTS (AAC), layer 1 is MPEG's layer III.
  if (head[0] === 0xff && (head[1]! & 0xf6) === 0xf0) return 'aac';
  if (head[0] === 0xff && (head[1]! & 0xe6) === 0xe2) return 'mp3';
  return undefined;
}
