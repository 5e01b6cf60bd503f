const MOST_CODES = 4096;

/**
 * The colour indices in a GIF's image data. Stops at the first code that cannot be, and where the data ends: what comes
 * may be fewer than were asked for, never more, and no input takes longer than its own length.
 *
 * @param at offset of the byte that says how many bits an index has
 * @param most indices wanted
 * @see https://www.w3.org/Graphics/GIF/spec-gif89a.txt appendix F
 */
export function decodeLzw(bytes: Uint8Array, at: number, most: number): Uint8Array {
  const indexBits = bytes[at] ?? 0;
  if (indexBits < 1 || indexBits > 8) return new Uint8Array(0);
  const clear = 1 << indexBits;
  const end = clear + 1;
  const prefix = new Uint16Array(MOST_CODES);
  const last = new Uint8Array(MOST_CODES);
  const length = new Uint16Array(MOST_CODES);
  for (let code = 0; code < clear; code++) [last[code], length[code]] = [code, 1];

  const out = new Uint8Array(most);
  let written = 0;
  let next = end + 1;
  let codeBits = indexBits + 1;
  let previous = -1;
  let bits = 0;
  let bitCount = 0;
  let from = at + 1;
  let left = 0;

  for (;;) {
    while (bitCount < codeBits) {
      if (left === 0) left = bytes[from++] ?? 0;
      if (left === 0 || from >= bytes.length) return out.subarray(0, written);
      bits |= bytes[from++]! << bitCount;
      bitCount += 8;
      left -= 1;
    }
    const code = bits & ((1 << codeBits) - 1);
    bits >>>= codeBits;
    bitCount -= codeBits;
    if (code === clear) {
      [next, codeBits, previous] = [end + 1, indexBits + 1, -1];
      continue;
    }
    const isNew = code === next && previous !== -1 && next < MOST_CODES;
    if (code === end || !(code < clear || (code > end && code < next) || isNew)) return out.subarray(0, written);

    // Written backwards: each code knows its last index and the code of what comes before.
    const known = isNew ? previous : code;
    const runLength = length[known]! + (isNew ? 1 : 0);
    let position = written + length[known]! - 1;
    let first = 0;
    for (let link = known; ; link = prefix[link]!) {
      first = last[link]!;
      if (position < most) out[position] = first;
      position -= 1;
      if (link < clear) break;
    }
    if (isNew && written + runLength <= most) out[written + runLength - 1] = first;
    written = Math.min(most, written + runLength);
    if (written === most) return out;

    if (previous !== -1 && next < MOST_CODES) {
      prefix[next] = previous;
      last[next] = first;
      length[next] = length[previous]! + 1;
      next += 1;
      if (next === 1 << codeBits && codeBits < 12) codeBits += 1;
    }
    previous = code;
  }
}
