import type { ByteView } from '../../kernel/byte-view.ts';
import { damaged, MAX_PACKETS, objectTrack, type PacketTrack, unsupportedSound } from './packet-track.ts';

/** GUIDs as they are stored. */
const FILE_PROPERTIES = 'a1dcab8c47a9cf118ee400c00c205365';
const STREAM_PROPERTIES = '9107dcb7b7a9cf118ee600c00c205365';
const CONTENT_ENCRYPTION = 'fbb3112223bdd211b4b700a0c955fc6e';
const EXTENDED_ENCRYPTION = '14e68a292226174cb935dae07ee9289c';
const AUDIO_MEDIA = '409e69f84d5bcf11a8fd00805f5c442b';
const AUDIO_SPREAD = '50cdc3bf8f61cf118bb200aa00b4e220';
const DATA = '3626b2758e66cf11a6d900aa0062ce6c';

/** Limits; real files have about ten objects, and packets of a few kilobytes. */
const MAX_OBJECTS = 1_000;
const MAX_PACKET_BYTES = 65_536;
/** Limit for a superframe of sound. */
const MAX_SOUND_OBJECT_BYTES = 1_000_000;

/** Codecs by their tag. @see RFC 2361 */
const CODECS: Readonly<Record<number, 'wmav1' | 'wmav2'>> = { 352: 'wmav1', 353: 'wmav2' };
/** Names of codecs that are not supported, for the error. */
const UNSUPPORTED: Readonly<Record<number, string>> = {
  10: 'Windows Media Audio Voice',
  354: 'Windows Media Audio Professional',
  355: 'Windows Media Audio Lossless',
};

interface Header {
  readonly packetBytes: number;
  readonly announcedPackets: number;
  readonly seconds: number;
  readonly stream: SoundStream;
}

interface SoundStream {
  readonly number: number;
  /** The `WAVEFORMATEX` structure with the codec's configuration. */
  readonly format: Buffer;
}

/**
 * Reads the structure of an ASF file with Windows Media Audio 1 or 2, whose superframes are scattered over packets. A file that ends
 * early is accepted.
 *
 * @throws RenderError asset_decode_failed, asset_type_unsupported
 * @see Advanced Systems Format Specification 1.20, sections 3 (header), 5 (packets)
 */
export function readAsf(file: ByteView, name: string): PacketTrack {
  try {
    return readFile(file, name);
  } catch (error) {
    // A read beyond the end of an object.
    if (error instanceof RangeError) return damaged('an object ends early', name);
    throw error;
  }
}

function readFile(file: ByteView, name: string): PacketTrack {
  const headerBytes = sizeAt(file, 16, name);
  const { packetBytes, announcedPackets, seconds, stream } = readHeader(file.subarray(0, headerBytes), name);
  if (guidAt(file, headerBytes) !== DATA) return damaged('its data do not follow its header', name);
  const start = headerBytes + 50;
  const { format } = stream;
  const codec = CODECS[format.readUInt16LE(0)]!;
  const [channels, sampleRate] = [format.readUInt16LE(2), format.readUInt32LE(4)];
  const collector = new ObjectCollector(stream.number, name);
  let count = 0;
  for (; start + (count + 1) * packetBytes <= file.length && count < (announcedPackets || Infinity); count++) {
    const at = start + count * packetBytes;
    readPacket({ bytes: file.bytes(at, at + packetBytes), at }, collector, name);
  }
  if (collector.count === 0) return damaged('it has no sound', name);
  const share = announcedPackets > 0 ? count / announcedPackets : 1;
  return objectTrack({
    codec,
    sampleRate,
    channels,
    description: format.subarray(18, 18 + format.readUInt16LE(16)),
    wave: format,
    objects: () => collector.objects(file),
    endSeconds: seconds * share,
    announcedSeconds: share < 1 ? seconds : undefined,
  });
}

function readHeader(header: ByteView, name: string): Header {
  const count = header.readUInt32LE(24);
  if (count > MAX_OBJECTS) return damaged('it has too many objects', name);
  let properties: Pick<Header, 'packetBytes' | 'announcedPackets' | 'seconds'> | undefined;
  let stream: SoundStream | undefined;
  for (let at = 30, index = 0; index < count && at + 24 <= header.length; index++) {
    const size = sizeAt(header, at + 16, name);
    const body = header.subarray(at + 24, at + size);
    switch (guidAt(header, at)) {
      case CONTENT_ENCRYPTION:
      case EXTENDED_ENCRYPTION:
        return unsupportedSound('An encrypted WMA file', name);
      case FILE_PROPERTIES:
        properties = readProperties(body, name);
        break;
      case STREAM_PROPERTIES:
        stream ??= readStream(body, name);
    }
    at += size;
  }
  if (properties === undefined) return damaged('it does not describe its packets', name);
  if (stream === undefined) return unsupportedSound('An ASF file without sound', name);
  return { ...properties, stream };
}

function readProperties(body: ByteView, name: string) {
  const [smallest, largest] = [body.readUInt32LE(68), body.readUInt32LE(72)];
  if (smallest !== largest) return unsupportedSound('WMA with packets of different sizes', name);
  if (smallest < 32 || smallest > MAX_PACKET_BYTES) return damaged(`its packets have ${smallest} bytes`, name);
  // A broadcast does not know its length.
  const isBroadcast = (body.readUInt32LE(64) & 1) !== 0;
  const announcedPackets = isBroadcast ? 0 : Number(body.readBigUInt64LE(32));
  if (announcedPackets > MAX_PACKETS) return damaged('it names too many packets', name);
  const seconds = Number(body.readBigUInt64LE(40)) / 1e7 - Number(body.readBigUInt64LE(56)) / 1000;
  return { packetBytes: smallest, announcedPackets, seconds: Math.max(0, seconds) };
}

/** Returns the stream if it has sound. */
function readStream(body: ByteView, name: string): SoundStream | undefined {
  if (guidAt(body, 0) !== AUDIO_MEDIA) return undefined;
  const formatBytes = body.readUInt32LE(40);
  const flags = body.readUInt16LE(48);
  const format = body.subarray(54, 54 + formatBytes);
  const tag = format.readUInt16LE(0);
  if ((flags & 0x8000) !== 0) return unsupportedSound('An encrypted WMA file', name);
  if (CODECS[tag] === undefined) {
    return unsupportedSound(UNSUPPORTED[tag] ?? `The codec 0x${tag.toString(16)} of the ASF file`, name);
  }
  const isSpread = guidAt(body, 16) === AUDIO_SPREAD && (body.at(54 + formatBytes) ?? 0) > 1;
  if (isSpread) return unsupportedSound('WMA with spread packets', name);
  const [channels, align, configBytes] = [format.readUInt16LE(2), format.readUInt16LE(12), format.readUInt16LE(16)];
  if (channels < 1 || channels > 2) return damaged(`it has ${channels} channels`, name);
  if (align < 1 || configBytes < (tag === 0x160 ? 4 : 6) || 18 + configBytes > format.length || configBytes > 256) {
    return damaged('the description of its sound is invalid', name);
  }
  return { number: flags & 0x7f, format: format.bytes(0, 18 + configBytes) };
}

/** Where a part of a media object is in the file, and where it belongs in its object of `size` bytes. */
interface ObjectPart {
  readonly offset: number;
  readonly size: number;
  readonly at: number;
  readonly length: number;
}

/** Finds the parts of media objects, each of which is a superframe. */
class ObjectCollector {
  readonly #stream: number;
  readonly #name: string;
  /** Position and length of each part in the file, one after the other. */
  readonly #parts: number[] = [];
  /** For each object, the index in `#parts` after its last part. */
  readonly #ends: number[] = [];
  #received = 0;

  constructor(stream: number, name: string) {
    this.#stream = stream;
    this.#name = name;
  }

  /** Number of complete objects. */
  get count(): number {
    return this.#ends.length;
  }

  add(stream: number, { offset, size, at, length }: ObjectPart): void {
    if (stream !== this.#stream) return;
    if (size > MAX_SOUND_OBJECT_BYTES) damaged('a part of its sound is too large', this.#name);
    if (offset === 0) [this.#parts.length, this.#received] = [this.#ends.at(-1) ?? 0, 0];
    // Without its beginning, an object cannot be decoded.
    if (offset !== this.#received || length === 0) return;
    this.#parts.push(at, length);
    this.#received += length;
    if (this.#received < size) return;
    if (this.count >= MAX_PACKETS) damaged('it has too many packets', this.#name);
    this.#ends.push(this.#parts.length);
    this.#received = 0;
  }

  /** Reads the complete objects, one after the other. */
  *objects(file: ByteView): Generator<Buffer> {
    let first = 0;
    for (const end of this.#ends) {
      const parts: Buffer[] = [];
      for (; first < end; first += 2) {
        const at = this.#parts[first]!;
        parts.push(file.bytes(at, at + this.#parts[first + 1]!));
      }
      yield parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    }
  }
}

/** Reads a number whose size has two bits of `code`. */
class FieldReader {
  at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  number(code: number): number {
    const size = [0, 1, 2, 4][code & 3]!;
    this.at += size;
    return size === 0 ? 0 : this.#bytes.readUIntLE(this.at - size, size);
  }
}

interface Packet {
  readonly bytes: Buffer;
  /** Position in the file. */
  readonly at: number;
}

/** @see Advanced Systems Format Specification, 5.2 */
function readPacket({ bytes: packet, at: start }: Packet, collector: ObjectCollector, name: string): void {
  const fields = new FieldReader(packet);
  // Data for error correction precede the flags.
  if ((packet[0]! & 0x80) !== 0) fields.at = 1 + (packet[0]! & 0x0f);
  const lengths = fields.number(1);
  const properties = fields.number(1);
  const declared = fields.number(lengths >> 5);
  fields.number(lengths >> 1);
  const padding = fields.number(lengths >> 3);
  // The send time and the duration.
  fields.at += 6;
  const end = (declared === 0 ? packet.length : Math.min(packet.length, declared)) - padding;
  const isMultiple = (lengths & 1) !== 0;
  const payloads = isMultiple ? fields.number(1) : 1;
  for (let index = 0; index < (isMultiple ? payloads & 0x3f : 1) && fields.at < end; index++) {
    const stream = fields.number(1) & 0x7f;
    fields.number(properties >> 4);
    const offset = fields.number(properties >> 2);
    const extraBytes = fields.number(properties);
    const extraAt = fields.at;
    fields.at += extraBytes;
    const size = isMultiple ? fields.number(payloads >> 6) : end - fields.at;
    if (size < 0 || fields.at + size > end) damaged('a packet contradicts itself', name);
    const at = start + fields.at;
    const body = packet.subarray(fields.at, fields.at + size);
    fields.at += size;
    if (extraBytes === 1) addCompressed({ bytes: body, at }, stream, collector);
    else if (extraBytes >= 8) collector.add(stream, { offset, size: packet.readUInt32LE(extraAt), at, length: size });
    else damaged('a packet does not describe its sound', name);
  }
}

/** Several whole objects, each preceded by its size. @see Advanced Systems Format Specification, 5.2.3.2 */
function addCompressed({ bytes, at: start }: Packet, stream: number, collector: ObjectCollector): void {
  for (let at = 0; at < bytes.length; at += 1 + bytes[at]!) {
    const { length } = bytes.subarray(at + 1, at + 1 + bytes[at]!);
    collector.add(stream, { offset: 0, size: length, at: start + at + 1, length });
  }
}

function guidAt(bytes: ByteView, at: number): string {
  return bytes.toString('hex', at, at + 16);
}

/** @throws RenderError asset_decode_failed for an object that is smaller than its own header */
function sizeAt(bytes: ByteView, at: number, name: string): number {
  const size = Number(bytes.readBigUInt64LE(at));
  return size >= 24 && size <= bytes.length ? size : damaged('an object has an impossible size', name);
}
