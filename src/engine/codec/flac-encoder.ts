import { RenderError } from '../render-error.ts';
import { CodecSession } from './codec-session.ts';

/** Sound of 16-bit samples, interleaved. */
export interface PlainSound {
  readonly samples: Int16Array;
  readonly channels: 1 | 2;
  readonly rate: number;
}

/** AVSampleFormat: 16 bits, interleaved. */
const S16 = 1;
const LAYOUTS = { 1: { nbChannels: 1, order: 1, mask: 4n }, 2: { nbChannels: 2, order: 1, mask: 3n } } as const;
/** The only metadata block: STREAMINFO, of 34 bytes. */
const HEADER = Uint8Array.from([0x66, 0x4c, 0x61, 0x43, 0x80, 0, 0, 34]);
/** Predictors of integers: those of floating-point numbers may differ between processors, and save 7 % of speech. */
const OPTIONS = { lpc_type: 'fixed', flags: '+bitexact' };

/**
 * Encodes a sound as a FLAC file. The same samples always give the same bytes.
 *
 * @throws ReelformError encoder_missing; RenderError encode_failed
 * @see RFC 9639, section 6
 */
export async function encodeFlac({ samples, channels, rate }: PlainSound): Promise<Uint8Array> {
  const session = new CodecSession({
    code: 'encode_failed',
    subject: 'The encoder of the sound',
    failed: 'The sound cannot be encoded',
  });
  const packets: Uint8Array[] = [];
  let streamInfo: Uint8Array | undefined;
  const form = { sampleRate: rate, channelLayout: LAYOUTS[channels] };
  const { context, frame, packet } = session;
  const receive = (): Promise<void> =>
    session.drain(
      () => context.receivePacket(packet),
      () => {
        const { data } = packet;
        // The last packet has no data: it announces the final STREAMINFO, whose MD5 the next call would make wrong.
        if (data === null) streamInfo = Uint8Array.from(context.extraData ?? []);
        else packets.push(Uint8Array.from(data));
        packet.unref();
      },
    );
  try {
    await session.run(async () => {
      const native = session.libav.Codec.findEncoderByName('flac');
      if (native === null) throw new Error('there is no encoder of FLAC');
      const configure = (): void => {
        Object.assign(context, { ...form, sampleFormat: S16, timeBase: { num: 1, den: rate } });
      };
      await session.open(native, configure, OPTIONS);
      const step = context.frameSize * channels;
      for (let at = 0; at < samples.length; at += step) {
        const block = samples.subarray(at, at + step);
        frame.unref();
        Object.assign(frame, { ...form, format: S16, nbSamples: block.length / channels });
        session.check(frame.getBuffer(0));
        session.check(frame.fromBuffer(new Uint8Array(block.buffer, block.byteOffset, block.byteLength)));
        frame.pts = BigInt(at / channels);
        session.check(await context.sendFrame(frame));
        await receive();
      }
      session.check(await context.sendFrame(null));
      await receive();
    });
    if (streamInfo === undefined) throw new RenderError('encode_failed', 'The encoder of FLAC gave no header');
    return Buffer.concat([HEADER, streamInfo, ...packets]);
  } finally {
    session.close();
  }
}
