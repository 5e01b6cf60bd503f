/**
 * A WAV file of a sine: 16 bits, little-endian, one channel.
 *
 * @see http://soundfile.sapp.org/doc/WaveFormat/
 */
export function toneWav(seconds: number, hertz = 440, sampleRate = 48_000): Uint8Array {
  const sampleCount = Math.round(seconds * sampleRate);
  const bytes = Buffer.alloc(44 + sampleCount * 2);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8, 'latin1');
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(sampleRate, 24);
  bytes.writeUInt32LE(sampleRate * 2, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36, 'latin1');
  bytes.writeUInt32LE(sampleCount * 2, 40);
  for (let at = 0; at < sampleCount; at++) {
    bytes.writeInt16LE(Math.round(8_000 * Math.sin((2 * Math.PI * hertz * at) / sampleRate)), 44 + at * 2);
  }
  return bytes;
}
