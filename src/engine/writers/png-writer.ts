import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { TemporaryFile } from '../../kernel/temporary-file.ts';
import { createStoredZip } from '../../template/archive/write-zip.ts';
import { channelsOf, type PngChannels, pngFile } from '../images/png-file.ts';
import { RenderError } from '../render-error.ts';
import type { FrameWriter, WriterOptions } from './frame-writer.ts';

/** Pictures that Node's thread pool encodes concurrently. */
const CONCURRENCY = 2;
/** Size limit of the file. */
const MAX_BYTES = 2 ** 30;

/** Opens a writer of a zip with all frames as PNG: frame_00001.png, frame_00002.png … */
export async function openPngSequenceWriter({ format, output }: WriterOptions): Promise<FrameWriter> {
  const { width, height } = format;
  const zip = createStoredZip();
  const target = TemporaryFile.create();
  let isFinished = false;
  const waiting: { name: string; file: Promise<Uint8Array> }[] = [];
  const store = async (): Promise<void> => {
    const { name, file } = waiting.shift()!;
    zip.add(name, await file.catch(failed));
    if (zip.sizeBytes > MAX_BYTES) throw tooLarge();
    await target.append(zip.take());
  };
  return {
    async write(pixels, frame) {
      const file = encodePng(pixels, { width, height, comment: output.fingerprint });
      // `store` reports the error; this prevents an unhandled rejection until then.
      file.catch(() => undefined);
      waiting.push({ name: `frame_${String(frame + 1).padStart(5, '0')}.png`, file });
      if (waiting.length > CONCURRENCY) await store();
    },
    async finish() {
      while (waiting.length > 0) await store();
      zip.finish();
      await target.append(zip.take());
      isFinished = true;
      return target;
    },
    close() {
      waiting.length = 0;
      if (!isFinished) target.close();
    },
  };
}

function failed(cause: unknown): never {
  throw new RenderError('encode_failed', 'A frame could not be encoded as PNG', { cause });
}

function tooLarge(): RenderError {
  const gigabytes = MAX_BYTES / 2 ** 30;
  return new RenderError('encode_failed', `The images need more than ${gigabytes} GB; reduce the height or fps`);
}

/** Higher levels take several times as long for a few per cent. */
const LEVEL = 3;
const FILTER_SUB = 1;
const deflated = promisify(deflate);

interface PngOptions {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Stored as a comment, in Latin-1; null for none. */
  readonly comment: string | null;
}

/**
 * Encodes a picture as PNG: RGB if all pixels are opaque, otherwise RGBA. Compresses in Node's thread pool.
 *
 * @param rgba row-major, straight alpha, width*height*4 bytes; may be overwritten when this returns
 * @see PNG, third edition, section 9.2
 */
export function encodePng(rgba: Uint8Array, { width, height, comment }: PngOptions): Promise<Uint8Array> {
  const channels = channelsOf(rgba);
  const lines = filteredLines(rgba, width, height, channels);
  return deflated(lines, { level: LEVEL }).then((data) => pngFile({ width, height, channels, data, comment }));
}

/** Applies the Sub filter: a filter byte for each row, then the difference of each byte from the pixel to its left. */
function filteredLines(rgba: Uint8Array, width: number, height: number, channels: PngChannels): Buffer {
  const lines = Buffer.allocUnsafe((width * channels + 1) * height);
  let to = 0;
  let from = 0;
  for (let row = 0; row < height; row++) {
    lines[to++] = FILTER_SUB;
    let [red, green, blue, alpha] = [0, 0, 0, 0];
    for (let x = 0; x < width; x++, from += 4) {
      lines[to++] = rgba[from]! - red;
      lines[to++] = rgba[from + 1]! - green;
      lines[to++] = rgba[from + 2]! - blue;
      if (channels === 4) lines[to++] = rgba[from + 3]! - alpha;
      red = rgba[from]!;
      green = rgba[from + 1]!;
      blue = rgba[from + 2]!;
      alpha = rgba[from + 3]!;
    }
  }
  return lines;
}
