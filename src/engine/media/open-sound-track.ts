import { ByteView } from '../../kernel/byte-view.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';
import { RenderError } from '../render-error.ts';
import { type MediaType, mediaTypeOf } from './media-type.ts';
import { codecName, openMedia, toDamageError } from './open-media.ts';
import type { PacketTrack } from './packet-track.ts';
import { readAc3 } from './read-ac3.ts';
import { readAiff } from './read-aiff.ts';
import { readAsf } from './read-asf.ts';
import { readCaf } from './read-caf.ts';
import { containedTrack, type SoundTrack } from './sound-track.ts';

const CONVERT = 'convert it to MP3, WAV, or AAC in M4A';

/** Sound files that are read without `mediabunny`. */
const READERS: ReadonlyMap<unknown, (file: ByteView, name: string) => PacketTrack> = new Map([
  ['aiff', readAiff],
  ['caf', readCaf],
  ['ac3', readAc3],
  ['wma', readAsf],
]);

/** Reads a sound file without `mediabunny`; undefined if its type has no reader here. @throws RenderError as the readers */
export function packetTrack(file: ByteView, type: MediaType | undefined, name: string): PacketTrack | undefined {
  return READERS.get(type)?.(file, name);
}

/** The sound of a file, open for reading. The caller must close it. */
interface OpenSoundTrack {
  readonly track: SoundTrack;
  /** Time of the first displayed picture, in seconds of the file; null for a file without pictures. */
  readonly pictureSeconds: number | null;
  close(): void;
}

/**
 * Opens the sound of a file after checking its structure; undefined if the file has none.
 *
 * @throws RenderError asset_type_unsupported, asset_decode_failed
 */
export async function openSoundTrack(bytes: SourceBytes, name: string): Promise<OpenSoundTrack | undefined> {
  const packets = openPackets(bytes, name);
  if (packets !== undefined) return packets;
  const input = openMedia(bytes, name);
  try {
    const source = await input.getPrimaryAudioTrack();
    if (source === null) {
      input.dispose();
      return undefined;
    }
    const track = await containedTrack(source, bytes);
    if (track === undefined) {
      const text = `The sound's codec ${await codecName(source)} is not supported; ${CONVERT}`;
      throw new RenderError('asset_type_unsupported', text, { imageName: name });
    }
    const pictures = await input.getPrimaryVideoTrack();
    const pictureSeconds = pictures === null ? null : Math.max(0, await pictures.getFirstTimestamp());
    return { track, pictureSeconds, close: () => input.dispose() };
  } catch (cause) {
    input.dispose();
    throw toDamageError(cause, name);
  }
}

function openPackets(bytes: SourceBytes, name: string): OpenSoundTrack | undefined {
  const file = ByteView.open(bytes);
  const close = (): void => file.close();
  try {
    const track = packetTrack(file, mediaTypeOf(bytes), name);
    if (track !== undefined) return { track, pictureSeconds: null, close };
  } catch (error) {
    close();
    throw error;
  }
  close();
  return undefined;
}
