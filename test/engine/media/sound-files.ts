/** Containers of sound that the program reads itself, written for tests. */

/** A chunk of an AIFF file: a type, a size of 32 bits, and padding to an even length. */
function aiffChunk(type: string, body: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.write(type, 0, 'latin1');
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body, Buffer.alloc(body.length % 2)]);
}

/** An AIFF-C at 8 kHz. @param data interleaved samples */
export function aiffFile(compression: string, bits: number, channels: number, data: Buffer): Buffer {
  const common = Buffer.alloc(24);
  common.writeUInt16BE(channels, 0);
  common.writeUInt32BE(data.length / (channels * Math.ceil(bits / 8)), 2);
  common.writeUInt16BE(bits, 6);
  // 8000 as a number of 80 bits.
  Buffer.from('400bfa00000000000000', 'hex').copy(common, 8);
  common.write(compression, 18, 'latin1');
  const sound = aiffChunk('SSND', Buffer.concat([Buffer.alloc(8), data]));
  return aiffChunk('FORM', Buffer.concat([Buffer.from('AIFC'), aiffChunk('COMM', common), sound]));
}

export interface CafDescription {
  readonly sampleRate: number;
  readonly format: string;
  readonly flags?: number;
  readonly packetBytes: number;
  readonly packetSamples: number;
  readonly channels: number;
  readonly bits: number;
}

/** A CAF file. @param chunks further chunks by type, before the samples */
export function cafFile(
  description: CafDescription,
  data: Buffer,
  chunks: Readonly<Record<string, Buffer>> = {},
): Buffer {
  const chunk = (type: string, body: Buffer): Buffer => {
    const header = Buffer.alloc(12);
    header.write(type, 0, 'latin1');
    header.writeBigInt64BE(BigInt(body.length), 4);
    return Buffer.concat([header, body]);
  };
  const { sampleRate, format, flags = 0, packetBytes, packetSamples, channels, bits } = description;
  const body = Buffer.alloc(32);
  body.writeDoubleBE(sampleRate, 0);
  body.write(format, 8, 'latin1');
  for (const [index, value] of [flags, packetBytes, packetSamples, channels, bits].entries()) {
    body.writeUInt32BE(value, 12 + index * 4);
  }
  const furtherChunks = Object.entries(chunks).map(([type, content]) => chunk(type, content));
  const samples = chunk('data', Buffer.concat([Buffer.alloc(4), data]));
  return Buffer.concat([Buffer.from('caff\0\x01\0\0', 'latin1'), chunk('desc', body), ...furtherChunks, samples]);
}

/** The table of packets of a CAF file. */
export function cafTable(
  sizes: readonly number[],
  samples: { readonly valid: number; readonly priming: number },
): Buffer {
  const header = Buffer.alloc(24);
  header.writeBigInt64BE(BigInt(sizes.length), 0);
  header.writeBigInt64BE(BigInt(samples.valid), 8);
  header.writeInt32BE(samples.priming, 16);
  const integers = sizes.flatMap((size) => [
    ...(size >= 16_384 ? [0x80 | (size >> 14)] : []),
    0x80 | ((size >> 7) & 0x7f),
    size & 0x7f,
  ]);
  return Buffer.concat([header, Buffer.from(integers)]);
}
