import { createStoredZip } from '../../template/archive/write-zip.ts';
import type { FrameWriter, WriterOptions } from '../frame-writer.ts';
import { SceneError } from '../scene-error.ts';
import { encodePng } from './encode-png.ts';

/** Pictures that are being encoded at once, in Node's own threads. */
const AT_WORK = 2;
/** What is finished is held in memory, and goes from process to process in one piece. */
const MAX_BYTES = 2 ** 30;

/** A zip of all frames as PNG: frame_00001.png, frame_00002.png … */
export async function openPngSequenceWriter({ format, output }: WriterOptions): Promise<FrameWriter> {
  const { width, height } = format;
  const zip = createStoredZip();
  const waiting: { name: string; file: Promise<Uint8Array> }[] = [];
  const store = async (): Promise<void> => {
    const { name, file } = waiting.shift()!;
    zip.add(name, await file.catch(failed));
    if (zip.sizeBytes > MAX_BYTES) throw tooLarge();
  };
  return {
    async write(pixels, frame) {
      const file = encodePng(pixels, { width, height, comment: output.fingerprint });
      // Whoever waits for it hears of it; until then it is nobody's.
      file.catch(() => undefined);
      waiting.push({ name: `frame_${String(frame + 1).padStart(5, '0')}.png`, file });
      if (waiting.length > AT_WORK) await store();
    },
    async finish() {
      while (waiting.length > 0) await store();
      return zip.finish();
    },
    close() {
      waiting.length = 0;
    },
  };
}

function failed(cause: unknown): never {
  throw new SceneError('encode_failed', 'A frame could not be encoded as PNG', { cause });
}

function tooLarge(): SceneError {
  const gigabytes = MAX_BYTES / 2 ** 30;
  return new SceneError(
    'encode_failed',
    `The pictures take more than ${gigabytes} GB; a lower height or fps makes fewer`,
  );
}
