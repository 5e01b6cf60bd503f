import { execa } from 'execa';
import { BufferSource, EncodedPacketSink, Input, MP4 } from 'mediabunny';
import { ReelformError } from '../../diagnostic.ts';
import type { OutputQuality } from '../../wire/output.ts';
import { SceneError } from '../scene-error.ts';
import { describeColour } from './avc-configuration.ts';
import type { EncodedTrack, Encoder, EncoderFactory, FrameFormat } from './encoder.ts';
import { refuseOldFfmpeg } from './ffmpeg-version.ts';
import { withoutEncoderNotes } from './nal-units.ts';

/** x264's constant rate factor, lower is better: what a viewer would call fair, good and flawless. */
const RATE_FACTOR: Record<OutputQuality, number> = { low: 28, medium: 24, high: 20 };
/** Always as many, since their number decides the bytes. Two take frames faster than they are drawn; more cost more in all. */
const THREADS = 2;
const STDERR_KEPT_CHARACTERS = 2_000;

/**
 * An encoder outside of this process: x264, veryfast, in a system's ffmpeg, which takes raw frames on its standard input.
 * The same ffmpeg gives the same bytes whatever the number of cores. Each segment is a process of its own. EDGE.
 *
 * @param program path of ffmpeg 5 or later, with libx264
 */
export function ffmpegEncoder(program: string): EncoderFactory {
  return async (format, quality) => {
    await refuseOldFfmpeg(program);
    return new FfmpegEncoder(program, format, quality);
  };
}

/** @see https://ffmpeg.org/ffmpeg.html, https://www.videolan.org/developers/x264.html */
function ffmpegArguments({ width, height, rate }: FrameFormat, quality: OutputQuality): string[] {
  const { numerator, denominator } = rate;
  return [
    ...['-hide_banner', '-loglevel', 'error', '-nostats'],
    ...[
      '-f',
      'rawvideo',
      '-pix_fmt',
      'yuv420p',
      '-s',
      `${width}x${height}`,
      '-framerate',
      `${numerator}/${denominator}`,
    ],
    ...['-i', 'pipe:0', '-map_metadata', '-1', '-fflags', '+bitexact', '-flags:v', '+bitexact'],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-profile:v', 'high', '-crf', String(RATE_FACTOR[quality])],
    // No key frames but the first and those at cuts. "stitchable": headers that do not follow the pictures.
    ...['-threads', String(THREADS), '-g', '1000', '-x264-params', 'stitchable=1'],
    ...['-color_range', 'tv', '-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'],
    ...['-f', 'mp4', '-movflags', 'frag_keyframe+empty_moov+default_base_moof', 'pipe:1'],
  ];
}

class FfmpegEncoder implements Encoder {
  readonly #format: FrameFormat;
  readonly #subprocess;
  readonly #output: Buffer[] = [];
  /** Resolves when it has ended and everything that it wrote is here. */
  readonly #ended: Promise<string | null>;
  #stderr = '';
  #framesTaken = 0;

  constructor(program: string, format: FrameFormat, quality: OutputQuality) {
    this.#format = format;
    this.#subprocess = execa(program, ffmpegArguments(format, quality), {
      ...{ stdin: 'pipe', stdout: 'pipe', stderr: 'pipe', buffer: false, reject: false, encoding: 'buffer' },
      // A configuration or a library that the environment names would decide the bytes.
      ...{ env: {}, extendEnv: false },
    });
    this.#subprocess.stdout.on('data', (bytes: Buffer) => this.#output.push(bytes));
    this.#subprocess.stderr.on('data', (bytes: Buffer) => {
      this.#stderr = (this.#stderr + bytes.toString('utf8')).slice(-STDERR_KEPT_CHARACTERS);
    });
    // Told by how the process ends; a write that fails as well says nothing more.
    this.#subprocess.stdin.on('error', () => undefined);
    this.#ended = this.#awaitEnd();
  }

  async encode(i420: Uint8Array, _frame: number): Promise<void> {
    const { width, height } = this.#format;
    if (i420.length !== (width * height * 3) / 2) {
      throw new SceneError('encode_failed', `A frame has ${i420.length} bytes, not ${(width * height * 3) / 2}`);
    }
    this.#framesTaken += 1;
    const written = new Promise<boolean>((resolve) => {
      // No copy: the frame stays where it is until all of it has gone through the pipe.
      const bytes = Buffer.from(i420.buffer, i420.byteOffset, i420.length);
      this.#subprocess.stdin.write(bytes, (error) => resolve(error === null || error === undefined));
    });
    if (!(await written)) throw await this.#failure();
  }

  async finish(): Promise<EncodedTrack> {
    this.#subprocess.stdin.end();
    if ((await this.#ended) !== null) throw await this.#failure();
    const track = await readTrack(Buffer.concat(this.#output), this.#format);
    if (track.packets.length !== this.#framesTaken) {
      throw new SceneError('encode_failed', `ffmpeg gave ${track.packets.length} of ${this.#framesTaken} frames`);
    }
    return track;
  }

  close(): void {
    this.#subprocess.kill('SIGKILL');
  }

  /** How it ended; null for well. */
  async #awaitEnd(): Promise<string | null> {
    const { failed, exitCode, signal, code } = await this.#subprocess;
    if (!failed) return null;
    if (code === 'ENOENT' || code === 'EACCES') return 'it cannot be started';
    return signal === undefined ? `it ended with ${exitCode}` : `it was ended by ${signal}`;
  }

  async #failure(): Promise<Error> {
    const how = (await this.#ended) ?? 'it ended early';
    // What it says names no file: it reads and writes pipes alone.
    const cause = this.#stderr === '' ? undefined : new Error(this.#stderr);
    if (how === 'it cannot be started' || this.#stderr.includes("Unknown encoder 'libx264'")) return missing(cause);
    return new SceneError('encode_failed', `ffmpeg failed: ${how}`, { cause });
  }
}

function missing(cause: unknown): ReelformError {
  return new ReelformError('encoder_missing', 'The ffmpeg that was chosen as encoder cannot be used', {
    hint: 'Install ffmpeg 5 or later with libx264, name it in REELFORM_FFMPEG, or choose "encoder: embedded"',
    cause,
  });
}

/** The video of a fragmented MP4, in decoding order. */
async function readTrack(mp4: Buffer, format: FrameFormat): Promise<EncodedTrack> {
  const input = new Input({ source: new BufferSource(mp4), formats: [MP4] });
  const track = await input.getPrimaryVideoTrack();
  const config = await track?.getDecoderConfig();
  if (track === null || track === undefined || config?.description === undefined) {
    throw new SceneError('encode_failed', 'ffmpeg gave no H.264');
  }
  const read = [];
  for await (const packet of new EncodedPacketSink(track).packets()) read.push(packet);
  // The first frame need not be at 0: that of a stream with reordered frames is shown after others were decoded.
  const start = Math.min(...read.map((packet) => packet.timestamp));
  const { numerator, denominator } = format.rate;
  const packets = read.map(({ data, timestamp, type }) => ({
    bytes: withoutEncoderNotes(data),
    frame: Math.round(((timestamp - start) * numerator) / denominator),
    isKey: type === 'key',
  }));
  return { format, configuration: describeColour(bytesOf(config.description), format.rate), packets };
}

function bytesOf(source: ArrayBufferLike | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice()
    : new Uint8Array(source).slice();
}
