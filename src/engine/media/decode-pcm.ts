/** Uncompressed codecs as `mediabunny` names them. */
const PCM = /^pcm-([suf])(8|16|24|32|64)(be)?$/;

/** Returns whether a codec is uncompressed or G.711, which needs no decoder. */
export function isPcm(codec: string): boolean {
  return PCM.test(codec) || codec === 'ulaw' || codec === 'alaw';
}

/**
 * Converts uncompressed sound to a list of samples in -1..1 for each channel.
 *
 * @param codec for which `isPcm` returns true
 * @param bytes whole frames of interleaved samples; an incomplete frame at the end is ignored
 * @param reused lists of an earlier call, which are overwritten if they have the right length
 * @see ITU-T G.711 for `ulaw` and `alaw`
 */
export function decodePcm(
  codec: string,
  bytes: Uint8Array,
  channels: number,
  reused: readonly Float32Array[] = [],
): Float32Array[] {
  const [, kind, bits = '8', bigEndian] = PCM.exec(codec) ?? [];
  const size = Number(bits) / 8;
  const frames = Math.floor(bytes.length / (size * channels));
  const view = new DataView(bytes.buffer, bytes.byteOffset, frames * channels * size);
  const read = codec === 'ulaw' ? ULAW : codec === 'alaw' ? ALAW : READERS[`${kind}${bits}`]!;
  return Array.from({ length: channels }, (_, channel) => {
    const former = reused[channel];
    const samples = former?.length === frames ? former : new Float32Array(frames);
    read(samples, view, { from: channel * size, step: channels * size, isLittle: bigEndian === undefined });
    return samples;
  });
}

/** The bytes of a channel: the position of its first sample, and the distance to the next. */
interface Layout {
  readonly from: number;
  readonly step: number;
  readonly isLittle: boolean;
}

type Reader = (samples: Float32Array, view: DataView, layout: Layout) => void;

/** Returns a function that converts a channel. @param sampleAt returns the sample at a byte */
function readerOf(sampleAt: (view: DataView, at: number, isLittle: boolean) => number): Reader {
  return (samples, view, { from, step, isLittle }) => {
    for (let index = 0, at = from; index < samples.length; index++, at += step) {
      samples[index] = sampleAt(view, at, isLittle);
    }
  };
}

const ULAW = readerOf((view, at) => fromUlaw(view.getUint8(at)));
const ALAW = readerOf((view, at) => fromAlaw(view.getUint8(at)));
const S16 = readerOf((view, at, isLittle) => view.getInt16(at, isLittle) / 32_768);
/** Typed arrays have the byte order of the machine. */
const IS_LITTLE = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function isAligned({ byteOffset }: DataView, { isLittle }: Layout): boolean {
  return isLittle === IS_LITTLE && byteOffset % 2 === 0;
}

/** A power of two: multiplying is exact, and faster than dividing. */
const SIXTEEN_BITS = 1 / 32_768;

/** Reads 16 bits of the byte order and alignment of the machine, which most sounds have, several times faster. */
const readAligned: Reader = (samples, view, { from, step }) => {
  const values = new Int16Array(view.buffer, view.byteOffset, view.byteLength / 2);
  const [first, stride] = [from / 2, step / 2];
  for (let index = 0, at = first; index < samples.length; index++, at += stride) {
    samples[index] = values[at]! * SIXTEEN_BITS;
  }
};

const READERS: Readonly<Record<string, Reader>> = {
  u8: readerOf((view, at) => (view.getUint8(at) - 128) / 128),
  s8: readerOf((view, at) => view.getInt8(at) / 128),
  s16: (samples, view, layout) => (isAligned(view, layout) ? readAligned : S16)(samples, view, layout),
  s24: readerOf((view, at, isLittle) => {
    const [low, high] = isLittle ? [at, at + 2] : [at + 2, at];
    return (view.getInt8(high) * 65_536 + view.getUint8(at + 1) * 256 + view.getUint8(low)) / 8_388_608;
  }),
  s32: readerOf((view, at, isLittle) => view.getInt32(at, isLittle) / 2_147_483_648),
  f32: readerOf((view, at, isLittle) => view.getFloat32(at, isLittle)),
  f64: readerOf((view, at, isLittle) => view.getFloat64(at, isLittle)),
};

function fromUlaw(code: number): number {
  const inverted = ~code & 0xff;
  const magnitude = (((inverted & 0x0f) << 3) + 0x84) << ((inverted & 0x70) >> 4);
  return ((inverted & 0x80) === 0 ? magnitude - 0x84 : 0x84 - magnitude) / 32_768;
}

function fromAlaw(code: number): number {
  const toggled = code ^ 0x55;
  const segment = (toggled & 0x70) >> 4;
  const base = ((toggled & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? base : (base + 0x100) << (segment - 1);
  return ((toggled & 0x80) === 0 ? -magnitude : magnitude) / 32_768;
}
