import type { Libav, NativeCodecContext } from './libav.ts';

/** Parameters of a decoder, kept in native memory until `free` is called. */
interface WaveParameters {
  /** Sets the fields of a context. @returns a negative number for a failure */
  applyTo(context: NativeCodecContext): number;
  free(): void;
}

/**
 * Returns the parameters of a `WAVEFORMATEX` structure. The binding of FFmpeg cannot set the size of a codec's blocks, which
 * Windows Media Audio needs, so this function makes a WAV file of a single block for FFmpeg to read it from.
 *
 * @param wave checked by the reader of the container; nothing else of the file reaches FFmpeg's reader
 * @throws Error with FFmpeg's message
 */
export async function waveParameters(libav: Libav, wave: Uint8Array): Promise<WaveParameters> {
  const format = new libav.FormatContext();
  format.allocContext();
  const status = await format.openInput(`data:audio/wav;base64,${waveFile(wave).toString('base64')}`, null, null);
  if (status < 0) throw new Error(libav.FFmpegError.strerror(status));
  const parameters = format.streams[0]!.codecpar;
  return {
    applyTo: (context) => context.parametersToContext(parameters),
    free: () => format.closeInputSync(),
  };
}

/** @see https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html */
function waveFile(format: Uint8Array): Buffer {
  const padded = Buffer.alloc(format.length + (format.length % 2));
  padded.set(format);
  const chunk = (type: string, body: Buffer, size = body.length): Buffer => {
    const header = Buffer.alloc(8);
    header.write(type, 0, 'latin1');
    header.writeUInt32LE(size, 4);
    return Buffer.concat([header, body]);
  };
  const content = [Buffer.from('WAVE'), chunk('fmt ', padded, format.length), chunk('data', Buffer.alloc(8))];
  return chunk('RIFF', Buffer.concat(content));
}
