import type { AudioData, AudioDecoder } from '@napi-rs/webcodecs';
import { type EncodedPacket, EncodedPacketSink, type InputAudioTrack } from 'mediabunny';
import { freeBuffers } from '../free-buffers.ts';
import { SceneError } from '../scene-error.ts';
import { loadWebcodecs } from '../webcodecs-encoder.ts';
import { decodePcm, isPcm } from './decode-pcm.ts';

/** Sound of one packet, or of several that were decoded together. */
export interface DecodedSound {
  /** One list for each channel; samples in -1..1. */
  readonly channels: readonly Float32Array[];
  readonly rate: number;
}

const MOST_QUEUED = 8;

/**
 * Decodes a track from the packet that holds a time on, or some before it, since most codecs need a few to find their feet.
 *
 * @throws SceneError asset_type_unsupported, asset_decode_failed
 */
export async function* decodePackets(
  track: InputAudioTrack,
  first: EncodedPacket,
  name: string,
): AsyncGenerator<DecodedSound> {
  const codec = (await track.getCodec()) ?? '';
  const packets = new EncodedPacketSink(track).packets(first);
  if (isPcm(codec)) {
    const [rate, channels] = [await track.getSampleRate(), await track.getNumberOfChannels()];
    for await (const packet of packets) yield { channels: decodePcm(codec, packet.data, channels), rate };
    return;
  }
  const lane = await openLane(track, name);
  try {
    let fed = 0;
    for await (const packet of packets) {
      await lane.feed(packet);
      freeBuffers(fed++);
      yield* lane.take();
    }
    await lane.flush();
    yield* lane.take();
  } finally {
    lane.close();
  }
}

/** One decoder, and what has come out of it. */
async function openLane(track: InputAudioTrack, imageName: string) {
  const webcodecs = await loadWebcodecs();
  const ready: DecodedSound[] = [];
  let failure: unknown;
  let wake: () => void = () => undefined;
  const fail = (cause: unknown): void => {
    failure ??= cause;
    wake();
  };
  const throwFailure = (): void => {
    if (failure === undefined) return;
    const reason = failure instanceof Error ? failure.message : String(failure);
    const text = `The sound cannot be decoded: ${reason}`;
    throw new SceneError('asset_decode_failed', text, { imageName, cause: failure });
  };
  const decoder: AudioDecoder = new webcodecs.AudioDecoder({
    output: (data) => {
      const sound = samplesOf(data);
      data.close();
      if (sound === undefined) fail(new Error('the decoder gave a sample format that is not known'));
      else ready.push(sound);
      wake();
    },
    error: fail,
  });
  decoder.ondequeue = () => wake();
  const config = (await track.getDecoderConfig())!;
  const { codec, sampleRate, numberOfChannels, description } = config;
  try {
    const bytes = description === undefined ? {} : { description: Buffer.from(description as ArrayBuffer) };
    decoder.configure({ codec, sampleRate, numberOfChannels, ...bytes });
  } catch (cause) {
    fail(cause);
  }
  if (decoder.state !== 'configured') {
    const text = `The sound's codec ${codec} cannot be decoded; convert it to MP3, WAV, FLAC, or AAC in M4A`;
    throw new SceneError('asset_type_unsupported', text, { imageName, cause: failure });
  }
  // The decoder's callbacks do not keep the process alive; this does, while it is open.
  const keepAlive = setInterval(() => undefined, 2 ** 30);
  return {
    async feed({ microsecondTimestamp: timestamp, microsecondDuration: duration, data }: EncodedPacket) {
      try {
        decoder.decode(new webcodecs.EncodedAudioChunk({ type: 'key', timestamp, duration, data }));
      } catch (cause) {
        fail(cause);
      }
      while (failure === undefined && decoder.decodeQueueSize > MOST_QUEUED) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      throwFailure();
    },
    async flush() {
      try {
        await decoder.flush();
      } catch (cause) {
        fail(cause);
      }
      throwFailure();
    },
    take: () => ready.splice(0),
    close() {
      clearInterval(keepAlive);
      if (decoder.state !== 'closed') decoder.close();
    },
  };
}

/**
 * The samples as the decoder has them, converted here: asked to convert, the binary reads beyond its own memory, and the
 * whole process ends.
 */
function samplesOf(data: AudioData): DecodedSound | undefined {
  const match = /^([fsu])(8|16|32)(-planar)?$/.exec(data.format ?? '');
  if (match === null) return undefined;
  const [, kind, bits, planar] = match;
  const { numberOfFrames, numberOfChannels, sampleRate: rate } = data;
  const size = Number(bits) / 8;
  const codec = kind === 'u' ? 'pcm-u8' : `pcm-${kind}${bits}`;
  const planeChannels = planar === undefined ? numberOfChannels : 1;
  const channels: Float32Array[] = [];
  for (let planeIndex = 0; planeIndex < numberOfChannels / planeChannels; planeIndex++) {
    const needed = numberOfFrames * size * planeChannels;
    const bytes = new Uint8Array(Math.max(needed, data.allocationSize({ planeIndex })));
    data.copyTo(bytes, { planeIndex });
    const isFloat = kind === 'f' && planar !== undefined;
    if (isFloat) channels.push(new Float32Array(bytes.buffer, 0, numberOfFrames));
    else channels.push(...decodePcm(codec, bytes.subarray(0, needed), planeChannels));
  }
  return { channels, rate };
}
