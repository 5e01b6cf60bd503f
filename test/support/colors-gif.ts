/**
 * Returns a GIF with one frame per colour, each shown for a tenth of a second.
 *
 * @see https://www.w3.org/Graphics/GIF/spec-gif89a.txt
 */
export function colorsGif(colors: readonly (readonly [number, number, number])[], width = 16, height = 16): Uint8Array {
  const size = [width & 0xff, width >> 8, height & 0xff, height >> 8];
  const frames = colors.flatMap((color) => [
    ...[0x21, 0xf9, 4, 0, 10, 0, 0, 0],
    // A local palette of four colours; the frame uses the first.
    ...[0x2c, 0, 0, 0, 0, ...size, 0x81, ...color, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ...[2, ...subBlocks(zeros(width * height)), 0],
  ]);
  return Uint8Array.from([...Buffer.from('GIF89a'), ...size, 0, 0, 0, ...frames, 0x3b]);
}

/** Encodes pixels of index 0 in 3-bit codes; the table is cleared before it can grow. */
function zeros(pixelCount: number): number[] {
  const CLEAR = 4;
  const END = 5;
  const codes: number[] = [];
  for (let pixel = 0; pixel < pixelCount; pixel++) codes.push(...(pixel % 2 === 0 ? [CLEAR, 0] : [0]));
  codes.push(END);
  const bytes: number[] = [];
  let held = 0;
  let bits = 0;
  for (const code of codes) {
    held |= code << bits;
    for (bits += 3; bits >= 8; bits -= 8, held >>= 8) bytes.push(held & 0xff);
  }
  return bits > 0 ? [...bytes, held] : bytes;
}

function subBlocks(bytes: readonly number[]): number[] {
  const blocks: number[] = [];
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.slice(at, at + 255);
    blocks.push(block.length, ...block);
  }
  return blocks;
}
