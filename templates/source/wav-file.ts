/**
 * A WAV file of 16 bits, little-endian.
 *
 * @param channels samples of each, all as long
 * @see http://soundfile.sapp.org/doc/WaveFormat/
 */
export function wavFile(sampleRate: number, channels: readonly Int16Array[]): Buffer {
  const frameBytes = channels.length * 2;
  const length = channels[0]!.length;
  const file = Buffer.alloc(44 + length * frameBytes);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(channels.length, 22);
  file.writeUInt32LE(sampleRate, 24);
  file.writeUInt32LE(sampleRate * frameBytes, 28);
  file.writeUInt16LE(frameBytes, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(length * frameBytes, 40);
  for (let at = 0; at < length; at++) {
    for (const [channel, samples] of channels.entries()) {
      file.writeInt16LE(samples[at]!, 44 + at * frameBytes + channel * 2);
    }
  }
  return file;
}
