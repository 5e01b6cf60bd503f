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
 * @see ITU-T G.711 for `ulaw` and `alaw`
 */
export function decodePcm(codec: string, bytes: Uint8Array, channels: number): Float32Array[] {
  const [, kind, bits = '8', bigEndian] = PCM.exec(codec) ?? [];
  const size = Number(bits) / 8;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isLittle = bigEndian === undefined;
  const sample = sampleReader(codec, `${kind ?? ''}${bits}`, view, isLittle);
  const frames = Math.floor(bytes.length / (size * channels));
  return Array.from({ length: channels }, (_, channel) =>
    Float32Array.from({ length: frames }, (_value, frame) => sample((frame * channels + channel) * size)),
  );
}

function sampleReader(codec: string, kind: string, view: DataView, isLittle: boolean): (at: number) => number {
  if (codec === 'ulaw') return (at) => fromUlaw(view.getUint8(at));
  if (codec === 'alaw') return (at) => fromAlaw(view.getUint8(at));
  switch (kind) {
    case 'u8':
      return (at) => (view.getUint8(at) - 128) / 128;
    case 's8':
      return (at) => view.getInt8(at) / 128;
    case 's16':
      return (at) => view.getInt16(at, isLittle) / 32_768;
    case 's24':
      return (at) => {
        const [low, high] = isLittle ? [at, at + 2] : [at + 2, at];
        return (view.getInt8(high) * 65_536 + view.getUint8(at + 1) * 256 + view.getUint8(low)) / 8_388_608;
      };
    case 's32':
      return (at) => view.getInt32(at, isLittle) / 2_147_483_648;
    case 'f32':
      return (at) => view.getFloat32(at, isLittle);
    default:
      return (at) => view.getFloat64(at, isLittle);
  }
}

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
