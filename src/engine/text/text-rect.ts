import type { TextRect } from '../../template/expressions/player-protocol.ts';
import { inkOf } from './fit-text.ts';
import type { LaidOutText } from './lay-out-layers.ts';
import type { PlacedCell, TextLine } from './typeset-line.ts';

/**
 * Returns the bounds of the ink of a laid-out text, in pixels of its layer, as After Effects measures text with
 * `sourceRectAtTime`. A text without ink has no size and lies at the start of its first baseline.
 */
export function textRect({ spec, layout }: Pick<LaidOutText, 'spec' | 'layout'>): Omit<TextRect, 't'> {
  const { size, lineHeight, lines, baseline } = layout;
  const rows = lines.map((line, index) => {
    const start = startOf(line, spec, size);
    const [left, right] = horizontalInk(line.cells);
    const ink = inkOf(line.cells.map(({ cell }) => cell));
    return ink === null || left > right
      ? null
      : {
          left: start + left * size,
          right: start + right * size,
          top: baseline + index * lineHeight - ink.top * size,
          bottom: baseline + index * lineHeight - ink.bottom * size,
        };
  });
  const inked = rows.filter((row) => row !== null);
  if (inked.length === 0) {
    const line = lines[0];
    return { left: line === undefined ? spec.x : startOf(line, spec, size), top: baseline, width: 0, height: 0 };
  }
  const left = Math.min(...inked.map((row) => row.left));
  const top = Math.min(...inked.map((row) => row.top));
  const width = Math.max(...inked.map((row) => row.right)) - left;
  return { left, top, width, height: Math.max(...inked.map((row) => row.bottom)) - top };
}

/** Returns the x position of the left end of a line. */
function startOf({ width }: TextLine, { x, box, justification }: LaidOutText['spec'], size: number): number {
  const room = (box?.width ?? 0) - width * size;
  const alignment = Math.min(justification >= 3 ? justification - 3 : justification, 2);
  return x + (alignment === 0 ? 0 : alignment === 1 ? room : room / 2);
}

/** In ems from the left end of the line. */
function horizontalInk(cells: readonly PlacedCell[]): [left: number, right: number] {
  let [from, to] = [Infinity, -Infinity];
  for (const { cell, left } of cells) {
    if (cell.isColored) {
      from = Math.min(from, left);
      to = Math.max(to, left + cell.advance);
      continue;
    }
    for (const { font, glyph, x } of cell.glyphs) {
      const bounds = font.boundsOf(glyph);
      if (bounds.top === bounds.bottom) continue;
      from = Math.min(from, left + x + bounds.left * cell.scale);
      to = Math.max(to, left + x + bounds.right * cell.scale);
    }
  }
  return [from, to];
}
