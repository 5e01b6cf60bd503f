import type { AudioData, AudioDecoder } from '@napi-rs/webcodecs';
import { type EncodedPacket, EncodedPacketSink, type InputAudioTrack } from 'mediabunny';
import { CodecWatch } from '../h264/codec-watch.ts';
import { loadWebcodecs } from '../h264/webcodecs-encoder.ts';
import { freeBuffers } from '../raster/free-buffers.ts';
import { SceneError } from '../scene-error.ts';
import { decodePcm, isPcm } from './decode-pcm.ts';
import { openVorbisLane } from './vorbis-decoder.ts';

/** Sound of one packet, or of several that were decoded together. */
export interface DecodedSound {
  /** One list for each channel; samples in -1..1. */
  readonly channels: readonly Float32Array[];
  readonly rate: number;
}

/** A decoder that takes packets, and the sound that has come out of it. */
export interface SoundLane {
  feed(packet: EncodedPacket): Promise<void>;
  /** Resolves when everything that was fed is decoded. */
  flush(): Promise<void>;
  take(): DecodedSound[];
  close(): void;
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

async function openLane(track: InputAudioTrack, imageName: string): Promise<SoundLane> {
  const config = (await track.getDecoderConfig())!;
  if ((await track.getCodec()) === 'vorbis') {
    const headers = Buffer.from((config.description ?? new ArrayBuffer(0)) as ArrayBuffer);
    return openVorbisLane(headers, config.sampleRate, imageName);
  }
  const webcodecs = await loadWebcodecs();
  const ready: DecodedSound[] = [];
  const watch = new CodecWatch(
    (reason, cause) =>
      new SceneError('asset_decode_failed', `The sound cannot be decoded: ${reason}`, { imageName, cause }),
  );
  const decoder: AudioDecoder = new webcodecs.AudioDecoder({
    output: (data) => {
      const sound = samplesOf(data);
      data.close();
      if (sound === undefined) watch.fail(new Error('the decoder gave a sample format that is not known'));
      else ready.push(sound);
      watch.wake();
    },
    error: watch.fail,
  });
  decoder.ondequeue = watch.wake;
  const { codec, sampleRate, numberOfChannels, description } = config;
  watch.call(() => {
    const bytes = description === undefined ? {} : { description: Buffer.from(description as ArrayBuffer) };
    decoder.configure({ codec, sampleRate, numberOfChannels, ...bytes });
  });
  if (decoder.state !== 'configured') {
    const text = `The sound's codec ${codec} cannot be decoded; convert it to MP3, WAV, FLAC, or AAC in M4A`;
    watch.close();
    throw new SceneError('asset_type_unsupported', text, { imageName, cause: watch.failure });
  }
  return {
    async feed({ microsecondTimestamp: timestamp, microsecondDuration: duration, data }: EncodedPacket) {
      watch.call(() => decoder.decode(new webcodecs.EncodedAudioChunk({ type: 'key', timestamp, duration, data })));
      await watch.until(() => decoder.decodeQueueSize <= MOST_QUEUED);
    },
    async flush() {
      await watch.finish(() => decoder.flush());
    },
    take: () => ready.splice(0),
    close() {
      watch.close();
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
