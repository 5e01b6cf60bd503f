/** Minimum share of a text's ink that is cut off on every frame. */
export const MIN_CUT_SHARE = 0.02;
/** Tolerance for a blue value, as a share of the distance between two texts. */
export const TAG_TOLERANCE = 0.4;
/** A pixel of the ink is hidden if the picture shows less than this share of it; translucent layers above leave more. */
export const MIN_SHOWN_SHARE = 0.25;
/** Minimum share of the ink that a layer across a text must hide. */
const MIN_COVERED_SHARE = 0.2;
/** Largest difference of red and green in the paint of a text, of 255. */
const MAX_PAINT_ERROR = 2;
/** Minimum coverage of a pixel of the ink. */
export const MIN_INK_COVERAGE = 0.5;

/**
 * Returns the share of each text's ink that is cut off, by the text's index: the ink beyond the box around its shown part. A line
 * or an ornament across a text hides ink within that box, which counts only if it hides much.
 *
 * @param alone the texts without masks, mattes and all other layers
 */
export function measureCuts(
  { bright, dark }: { readonly bright: Uint8Array; readonly dark: Uint8Array },
  alone: Uint8Array,
  width: number,
  tagStep: number,
): Map<number, number> {
  const inks = new Map<
    number,
    { shown: number; hidden: number[]; left: number; top: number; right: number; bottom: number }
  >();
  const black = new Uint32Array(Uint8Array.of(0, 0, 0, 255).buffer)[0]!;
  const colors = new Uint32Array(alone.buffer, alone.byteOffset, alone.byteLength / 4);
  for (let pixel = 0, at = 0; pixel < colors.length; pixel++, at += 4) {
    if (colors[pixel] === black) continue;
    const coverage = alone[at]! / 255;
    // Texts are painted with equal red and green; emoji keep their colours.
    if (coverage < MIN_INK_COVERAGE || Math.abs(alone[at]! - alone[at + 1]!) > MAX_PAINT_ERROR) continue;
    const tag = alone[at + 2]! / coverage / tagStep - 1;
    const text = Math.round(tag);
    if (Math.abs(tag - text) > TAG_TOLERANCE) continue;
    const ink = inks.get(text) ?? { shown: 0, hidden: [], left: Infinity, top: Infinity, right: -1, bottom: -1 };
    inks.set(text, ink);
    if ((bright[at]! - dark[at]!) / 255 < MIN_SHOWN_SHARE * coverage) {
      ink.hidden.push(pixel);
      continue;
    }
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    ink.shown += 1;
    [ink.left, ink.right] = [Math.min(ink.left, x), Math.max(ink.right, x)];
    [ink.top, ink.bottom] = [Math.min(ink.top, y), Math.max(ink.bottom, y)];
  }
  return new Map(
    [...inks].map(([text, { shown, hidden, left, top, right, bottom }]) => {
      const beyond = hidden.filter((hiddenPixel) => {
        const [x, y] = [hiddenPixel % width, Math.floor(hiddenPixel / width)];
        return x < left || x > right || y < top || y > bottom;
      });
      const hiddenShare = hidden.length / (shown + hidden.length);
      return [text, hiddenShare >= MIN_COVERED_SHARE ? hiddenShare : beyond.length / (shown + hidden.length)];
    }),
  );
}
