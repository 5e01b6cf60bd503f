import type { EncodedPacket } from 'mediabunny';
import { SceneError } from '../scene-error.ts';

/** libvorbis in WebAssembly, as the package has it below its reader of Ogg pages. */
interface Libvorbis {
  sendSetupHeader(header: Uint8Array): void;
  initDsp(): void;
  decodePackets(packets: readonly Uint8Array[]): {
    readonly errors: readonly { readonly message: string }[];
    readonly channelData: readonly Float32Array[];
    readonly samplesDecoded: number;
  };
  free(): void;
}

/** Where each channel of FFmpeg's layouts stands among Vorbis's, by their number. @see Vorbis I specification, 4.3.9 */
const CHANNEL_ORDER: Readonly<Record<number, readonly number[]>> = {
  3: [0, 2, 1],
  5: [0, 2, 1, 3, 4],
  6: [0, 2, 1, 5, 3, 4],
  7: [0, 2, 1, 6, 5, 3, 4],
  8: [0, 2, 1, 7, 5, 6, 3, 4],
};

/**
 * Opens a decoder of Vorbis, which the decoder of the other codecs cannot be given the headers of. It decodes packets, so
 * that the same container reader serves every codec, and WebM as well as Ogg.
 *
 * @param description identification, comment and setup header, as WebCodecs describes them
 * @param rate of the samples, as the container says
 * @throws SceneError asset_type_unsupported where the optional package is absent, asset_decode_failed for damaged headers
 * @see https://www.w3.org/TR/webcodecs-vorbis-codec-registration/
 */
export async function openVorbisLane(description: Uint8Array, rate: number, imageName: string) {
  const decoder = await loadDecoder(imageName);
  const failed = (reason: string, cause?: unknown): SceneError =>
    new SceneError('asset_decode_failed', `The sound cannot be decoded: ${reason}`, { imageName, cause });
  const guarded = <T>(call: () => T): T => {
    try {
      return call();
    } catch (cause) {
      throw failed('its Vorbis data is damaged', cause);
    }
  };
  const [identification, , setup] = splitHeaders(description);
  if (identification === undefined || setup === undefined) throw failed('its Vorbis headers are damaged');
  guarded(() => {
    decoder.sendSetupHeader(identification);
    decoder.sendSetupHeader(setup);
    decoder.initDsp();
  });
  const channelCount = identification[11] ?? 0;
  const order = CHANNEL_ORDER[channelCount] ?? Array.from({ length: channelCount }, (_, channel) => channel);
  let isFirst = true;
  let ready: { channels: readonly Float32Array[]; rate: number }[] = [];
  return {
    async feed({ data, duration }: EncodedPacket) {
      const { errors, channelData, samplesDecoded } = guarded(() => decoder.decodePackets([data]));
      const [error] = errors;
      if (error !== undefined) throw failed('its Vorbis data is damaged', new Error(error.message));
      // The first packet only prepares the second: silence takes the time of its own sound.
      const missing = isFirst ? Math.round(duration * rate) : 0;
      isFirst = false;
      const silence = new Float32Array(missing);
      ready.push({ channels: order.map((at) => (samplesDecoded > 0 ? channelData[at]! : silence)), rate });
    },
    flush: async () => undefined,
    take() {
      const sounds = ready;
      ready = [];
      return sounds;
    },
    close: () => decoder.free(),
  };
}

async function loadDecoder(imageName: string): Promise<Libvorbis> {
  let OggVorbisDecoder: new () => { readonly ready: Promise<void> };
  try {
    ({ OggVorbisDecoder } = await import('@wasm-audio-decoders/ogg-vorbis'));
  } catch (cause) {
    const install = 'npm install @wasm-audio-decoders/ogg-vorbis@0.1.20 (it may have been left out by --omit=optional)';
    const text = `The sound is Vorbis, whose decoder is not installed; convert it to MP3, WAV or Opus, or run ${install}`;
    throw new SceneError('asset_type_unsupported', text, { imageName, cause });
  }
  const decoder = new OggVorbisDecoder();
  await decoder.ready;
  // The package's version is pinned: its decoder of packets has no public name.
  return (decoder as unknown as { readonly _decoder: Libvorbis })._decoder;
}

/** Three headers behind the lengths of the first two. @see Matroska codec mappings, A_VORBIS: Xiph lacing */
function splitHeaders(description: Uint8Array): Uint8Array[] {
  if (description[0] !== 2) return [];
  let at = 1;
  const lengths = [0, 0].map(() => {
    let length = 0;
    for (let byte = 255; byte === 255; length += byte) byte = description[at++] ?? 0;
    return length;
  });
  const [first, second] = [at + lengths[0]!, at + lengths[0]! + lengths[1]!];
  if (second >= description.length) return [];
  return [description.subarray(at, first), description.subarray(first, second), description.subarray(second)];
}
