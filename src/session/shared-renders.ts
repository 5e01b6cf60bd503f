import type { Sha256 } from '../digest.ts';
import type { Rendering, RenderOptions } from './ports.ts';

interface SharedRender {
  readonly rendering: Promise<Rendering>;
  readonly listeners: Set<NonNullable<RenderOptions['onProgress']>>;
  readonly stop: AbortController;
  waiting: number;
}

/** One render for all who want the same scene at the same time; it is stopped when nobody wants it any more. */
export class SharedRenders {
  readonly #renders = new Map<Sha256, SharedRender>();

  /**
   * @param start begins the render, where none of the scene is at work
   * @throws whatever the render threw; the signal's reason, promptly, when it is aborted
   */
  async render(
    scene: Sha256,
    { onProgress = () => undefined, signal }: RenderOptions,
    start: (options: RenderOptions) => Promise<Rendering>,
  ): Promise<Rendering> {
    signal?.throwIfAborted();
    const render = this.#renders.get(scene) ?? this.#start(scene, start);
    render.waiting += 1;
    render.listeners.add(onProgress);
    let giveUp: (() => void) | undefined;
    try {
      return await new Promise<Rendering>((resolve, reject) => {
        giveUp = () => reject(signal?.reason);
        signal?.addEventListener('abort', giveUp, { once: true });
        render.rendering.then(resolve, reject);
      });
    } finally {
      if (giveUp !== undefined) signal?.removeEventListener('abort', giveUp);
      render.listeners.delete(onProgress);
      render.waiting -= 1;
      if (render.waiting === 0 && this.#renders.get(scene) === render) {
        this.#renders.delete(scene);
        render.stop.abort(signal?.reason);
      }
    }
  }

  #start(scene: Sha256, start: (options: RenderOptions) => Promise<Rendering>): SharedRender {
    const stop = new AbortController();
    const listeners: SharedRender['listeners'] = new Set();
    const onProgress: RenderOptions['onProgress'] = (done, count) => {
      for (const listener of listeners) listener(done, count);
    };
    const rendering = start({ onProgress, signal: stop.signal });
    const render = { rendering, listeners, stop, waiting: 0 };
    this.#renders.set(scene, render);
    return render;
  }
}
