import type { ImageStructure } from './image-structure.ts';

/** Boxes on the way to the sizes; `meta` and `iprp` come first in files that browsers show. */
const CONTAINERS: ReadonlyMap<string, number> = new Map([
  ['meta', 4],
  ['iprp', 0],
  ['ipco', 0],
]);

/** Of a file that is an image; hostile ones have millions. */
const MOST_BOXES = 10_000;

/**
 * The largest size among the image's properties, since tiles and alpha have their own.
 *
 * @see ISO/IEC 23008-12, 6.5.3 (`ispe`); ISO/IEC 14496-12, 4.2 (boxes)
 */
export function readAvif(bytes: Buffer): ImageStructure | undefined {
  const sizes: { width: number; height: number }[] = [];
  let boxes = 0;
  const complete = visitBoxes(bytes, 0, bytes.length, (type, at) => {
    boxes += 1;
    if (boxes > MOST_BOXES) return false;
    if (type === 'ispe') sizes.push({ width: bytes.readUInt32BE(at + 4), height: bytes.readUInt32BE(at + 8) });
    return true;
  });
  const [largest] = sizes.sort((a, b) => b.width * b.height - a.width * a.height);
  return largest && { ...largest, complete };
}

/** Calls `visit` for the content of each box; answers whether it always went on and every box ends within its parent. */
function visitBoxes(bytes: Buffer, start: number, end: number, visit: (type: string, at: number) => boolean): boolean {
  let at = start;
  while (at + 8 <= end) {
    const [size, header] = boxSize(bytes, at, end);
    if (size < header || at + size > end) return false;
    const type = bytes.toString('latin1', at + 4, at + 8);
    const skip = CONTAINERS.get(type);
    if (!visit(type, at + header)) return false;
    if (skip !== undefined && !visitBoxes(bytes, at + header + skip, at + size, visit)) return false;
    at += size;
  }
  return true;
}

/** Total and header bytes of the box; size 1 means a 64-bit size, 0 to the end. */
function boxSize(bytes: Buffer, at: number, end: number): [size: number, header: number] {
  const size = bytes.readUInt32BE(at);
  if (size === 1) return [Number(bytes.readBigUInt64BE(at + 8)), 16];
  return [size === 0 ? end - at : size, 8];
}
