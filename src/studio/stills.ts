import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputRequest } from '../contract/wire/output.ts';
import { packRenderInput } from '../engine/packed-input.ts';
import { contentSha256 } from '../kernel/file-kind.ts';
import type { VideoInput } from '../template/render-input.ts';
import type { DrawQueue } from './draw-queue.ts';
import type { PreviewPorts } from './ports.ts';
import { RequestError } from './request-error.ts';
import { type DrawSubject, pictureOutput, resolvePicture } from './subjects.ts';

export const STILL_TYPES = { png: 'image/png', jpeg: 'image/jpeg' } as const;

export interface StillRequest {
  readonly frame: number;
  readonly type: keyof typeof STILL_TYPES;
  /** Pixels; null for the size of the video. */
  readonly width: number | null;
}

/** Bytes of the stills that are kept. */
const MAX_BYTES = 128 << 20;
/** Number of cached inputs: the open video in two sizes, and a few others. */
const MAX_INPUTS = 8;
const JPEG_QUALITY = 85;

/** A still that is being drawn, for all requests that wait for it. */
interface Drawing {
  readonly bytes: Promise<Uint8Array>;
  readonly stop: AbortController;
  waiting: number;
}

/** Draws stills with the engine, each once, and keeps them by the fingerprint of the content. */
export class Stills {
  readonly #ports: Pick<PreviewPorts, 'root' | 'pool' | 'inputOf'>;
  readonly #queue: DrawQueue;
  readonly #kept = new Map<string, Uint8Array>();
  #keptBytes = 0;
  readonly #drawings = new Map<string, Drawing>();
  readonly #inputs = new Map<string, Promise<VideoInput>>();

  constructor(ports: Pick<PreviewPorts, 'root' | 'pool' | 'inputOf'>, queue: DrawQueue) {
    this.#ports = ports;
    this.#queue = queue;
  }

  /**
   * Draws a frame. A PNG without a width has the pixels of `reelform render --frame`.
   *
   * @param signal aborted when the request was closed
   * @throws RequestError `invalid_request`, `gone`; errors of the engine
   */
  async draw(subject: DrawSubject, request: StillRequest, signal: AbortSignal): Promise<Uint8Array> {
    const { frame, type, width } = request;
    const key = `${subject.fingerprint}/${frame}/${width}.${type}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept;
    }
    const drawing = this.#drawings.get(key) ?? this.#begin(key, subject, request);
    drawing.waiting += 1;
    const leave = (): void => {
      drawing.waiting -= 1;
      if (drawing.waiting === 0) drawing.stop.abort(new RequestError('gone', 'The request was closed'));
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await drawing.bytes;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #begin(key: string, subject: DrawSubject, request: StillRequest): Drawing {
    const stop = new AbortController();
    const bytes = this.#queue
      .run(() => this.#render(subject, request, stop.signal), stop.signal, true)
      .then((drawn) => this.#keep(key, drawn))
      .finally(() => {
        if (this.#drawings.get(key) === drawing) this.#drawings.delete(key);
      });
    const drawing: Drawing = { bytes, stop, waiting: 0 };
    stop.signal.addEventListener('abort', () => this.#drawings.delete(key), { once: true });
    this.#drawings.set(key, drawing);
    return drawing;
  }

  async #render(subject: DrawSubject, { frame, type, width }: StillRequest, signal: AbortSignal): Promise<Uint8Array> {
    const whole = await this.renderInput(subject, { ...sizedOutput(subject, width), format: 'png' });
    if (frame >= whole.frameCount) {
      throw new RequestError('invalid_request', `The video has ${whole.frameCount} frames, from 0 on`);
    }
    const renderInput = { ...whole, stills: [{ name: 'frame', frame }] };
    signal.throwIfAborted();
    if (type === 'png') return (await this.#ports.pool.run('stills', renderInput))[0]!.bytes;
    const comparison = { before: null, after: packRenderInput(renderInput), jpegQuality: JPEG_QUALITY };
    return (await this.#ports.pool.run('compare', comparison))[0]!.after!;
  }

  /** Returns the input of a subject. The last few are kept. @throws RequestError `gone` if its files have changed */
  renderInput(subject: DrawSubject, output: OutputRequest): Promise<VideoInput> {
    const key = `${subject.fingerprint} ${JSON.stringify(output)}`;
    const renderInput = this.#inputs.get(key) ?? this.#open(subject, output);
    this.#inputs.delete(key);
    this.#inputs.set(key, renderInput);
    renderInput.catch(() => this.#inputs.delete(key));
    for (const oldest of [...this.#inputs.keys()].slice(0, -MAX_INPUTS)) this.#inputs.delete(oldest);
    return renderInput;
  }

  async #open({ video, templates, files }: DrawSubject, output: OutputRequest): Promise<VideoInput> {
    for (const [path, digest] of files) {
      const bytes = await readFile(join(this.#ports.root, path)).catch(() => null);
      // The fingerprint must never name another picture: the page keeps it for ever.
      if (bytes === null || contentSha256(bytes) !== digest)
        throw new RequestError('gone', `${path} has changed since`);
    }
    return this.#ports.inputOf(video, templates, output);
  }

  #keep(key: string, bytes: Uint8Array): Uint8Array {
    this.#kept.set(key, bytes);
    this.#keptBytes += bytes.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#keptBytes <= MAX_BYTES) break;
      this.#kept.delete(oldest);
      this.#keptBytes -= length;
    }
    return bytes;
  }
}

/** Returns the output of a subject, with about this width. */
function sizedOutput(subject: DrawSubject, width: number | null): OutputRequest {
  const output = pictureOutput(subject.video);
  const full = resolvePicture(subject);
  if (width === null || width >= full.width) return output;
  return { ...output, height: 2 * Math.max(1, Math.round((width * full.height) / full.width / 2)) };
}
