import { type EncodedPacket, EncodedPacketSink, type InputVideoTrack } from 'mediabunny';

/** Six hours at 60 pictures a second, and what a damaged file names. */
const MOST_PACKETS = 2_000_000;
/** Whoever waits for something else has a turn in between. */
const PACKETS_A_TURN = 10_000;

/** A picture of a video track, known before any of it is decoded. */
export interface PictureEntry {
  /** Seconds in the file. */
  readonly time: number;
  /** Decoding can start here. */
  readonly isKey: boolean;
}

/**
 * The pictures that a part of a track shows, in the order of showing, from the last key picture at or before its start on.
 *
 * @param from seconds in the file, as `to`
 */
export async function readPictureTable(track: InputVideoTrack, from: number, to: number): Promise<PictureEntry[]> {
  const sink = new EncodedPacketSink(track);
  const hasHidden = (await track.getCodec()) === 'vp8';
  const options = { metadataOnly: !hasHidden };
  const first = (await sink.getKeyPacket(from, options)) ?? (await sink.getFirstKeyPacket(options));
  const entries: PictureEntry[] = [];
  let packets = 0;
  if (first === null) return entries;
  let stop = Infinity;
  for await (const packet of sink.packets(first, undefined, options)) {
    // Behind a key picture come those that are shown before it; then those of a part that nobody asked for.
    if (packet.timestamp > stop) break;
    packets += 1;
    if (packets > MOST_PACKETS) throw new Error('it has too many pictures');
    if (packets % PACKETS_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    if (packet.type === 'key' && packet.timestamp > to) stop = packet.timestamp;
    if (packet.timestamp < first.timestamp || (hasHidden && !isShown(packet))) continue;
    entries.push({ time: packet.timestamp, isKey: packet.type === 'key' });
  }
  return entries.sort((a, b) => a.time - b.time);
}

/** Of VP8, whose packets may hold a picture for reference alone. @see RFC 6386, section 9.1 (show_frame) */
function isShown(packet: EncodedPacket): boolean {
  return ((packet.data[0] ?? 0) & 0x10) !== 0;
}
