import { SceneError } from '../scene-error.ts';
import { decodeLzw } from './decode-lzw.ts';
import { type Gif, type GifFrame, readGifFrames } from './gif-frames.ts';
import type { ClipPictures, Picture } from './picture.ts';

/** First row and distance of rows, pass by pass. @see GIF89a, appendix E */
const PASSES = [
  [0, 8],
  [4, 8],
  [2, 4],
  [1, 2],
] as const;

/**
 * The pictures of a GIF as browsers show them: each over what its predecessor left, which was kept, cleared to
 * transparency or put back; background colours are not painted.
 *
 * @throws SceneError asset_decode_failed
 * @see https://www.w3.org/Graphics/GIF/spec-gif89a.txt section 23 (disposal methods)
 */
export function gifPictures(bytes: Uint8Array, name: string): ClipPictures {
  const gif = readGifFrames(bytes, name);
  const starts: number[] = [];
  let end = 0;
  for (const frame of gif.frames) {
    starts.push(end);
    end += frame.durationSeconds;
  }
  let screen = newScreen(gif);
  let painted = -1;
  return {
    indexAt(seconds) {
      const next = starts.findIndex((start) => start > seconds + 1e-6);
      return next === -1 ? starts.length - 1 : Math.max(0, next - 1);
    },
    async picture(index) {
      if (index < painted) [screen, painted] = [newScreen(gif), -1];
      while (painted < index) {
        screen.paint(bytes, gif.frames[painted + 1]!, name);
        painted += 1;
      }
      return screen.picture();
    },
    close: () => undefined,
  };
}

/** The screen on which frames are painted, one after the other. */
function newScreen({ width, height }: Gif) {
  const bgra = new Uint8ClampedArray(width * height * 4);
  let leave: () => void = () => undefined;
  return {
    paint(bytes: Uint8Array, frame: GifFrame, name: string): void {
      leave();
      const before = frame.disposal === 'restore' ? bgra.slice() : null;
      leave = () => {
        if (before !== null) bgra.set(before);
        if (frame.disposal === 'clear') clear(frame);
      };
      blit(bytes, frame, name);
    },
    picture(): Picture {
      return { width, height, bgra: bgra.slice(), isOpaque: isOpaque(bgra) };
    },
  };

  function clear(frame: GifFrame): void {
    const right = Math.min(width, frame.x + frame.width);
    for (let row = frame.y; row < Math.min(height, frame.y + frame.height); row++) {
      if (frame.x < right) bgra.fill(0, (row * width + frame.x) * 4, (row * width + right) * 4);
    }
  }

  function blit(bytes: Uint8Array, frame: GifFrame, name: string): void {
    const { palette, transparentIndex } = frame;
    if (palette === null) throw new SceneError('asset_decode_failed', 'The GIF has no colours', { imageName: name });
    const indices = decodeLzw(bytes, frame.dataAt, frame.width * frame.height);
    let line = 0;
    for (const row of rowsOf(frame)) {
      const from = line++ * frame.width;
      if (frame.y + row >= height) continue;
      const columns = Math.min(frame.width, width - frame.x, indices.length - from);
      for (let column = 0; column < columns; column++) {
        const index = indices[from + column]!;
        if (index === transparentIndex || index >= palette.count) continue;
        const to = ((frame.y + row) * width + frame.x + column) * 4;
        const colour = palette.at + index * 3;
        bgra[to] = bytes[colour + 2]!;
        bgra[to + 1] = bytes[colour + 1]!;
        bgra[to + 2] = bytes[colour]!;
        bgra[to + 3] = 255;
      }
    }
  }
}

function* rowsOf({ height, isInterlaced }: GifFrame): Generator<number> {
  for (const [first, distance] of isInterlaced ? PASSES : [[0, 1] as const]) {
    for (let row = first; row < height; row += distance) yield row;
  }
}

function isOpaque(bgra: Uint8ClampedArray): boolean {
  for (let at = 3; at < bgra.length; at += 4) if (bgra[at] !== 255) return false;
  return true;
}
