import pLimit from 'p-limit';
import type { Rendering } from '../engine/render-scene.ts';
import { SceneError } from '../engine/scene-error.ts';
import type { Scene } from '../template/scene.ts';
import type { Renderer, RenderOptions } from './ports.ts';
import { RenderChild } from './render-child.ts';

export interface RenderPoolOptions {
  /** Processes at once; each takes about 0.5 GB for 1080p. */
  readonly size: number;
  /** A process is replaced after so many renders, so that what native code leaks does not add up. */
  readonly rendersPerProcess?: number;
  /** Everything that the processes see of an environment. Windows needs `SystemRoot`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Milliseconds without a finished frame. */
  readonly stallMs?: number;
  /** Milliseconds for one render. */
  readonly totalMs?: number;
}

export interface RenderPool extends Renderer {
  /** Further renders wait for a free process. Rejects as `RenderChild.render`. */
  render(scene: Scene, options?: RenderOptions): Promise<Rendering>;
  /** Ends all processes at once; renders under way or waiting reject with `render_crashed`. */
  close(): Promise<void>;
}

/**
 * Renders scenes in child processes, each used again while it is healthy. What crashes in one ends that render alone.
 * The first process starts with the first render; idle ones keep the parent alive until `close`, and die with it.
 */
export function createRenderPool({
  size,
  rendersPerProcess = 50,
  environment = {},
  stallMs = 60_000,
  totalMs = 900_000,
}: RenderPoolOptions): RenderPool {
  const limit = pLimit(size);
  const idle: RenderChild[] = [];
  const children = new Set<RenderChild>();
  let isClosed = false;

  const start = (): RenderChild => {
    const child = new RenderChild(environment, { stallMs, totalMs });
    children.add(child);
    return child;
  };
  const release = async (child: RenderChild): Promise<void> => {
    if (child.isAlive && child.renderCount < rendersPerProcess) {
      idle.push(child);
    } else {
      await child.stop();
      children.delete(child);
    }
  };
  const takeIdle = (): RenderChild | undefined => {
    const child = idle.pop();
    if (child === undefined || child.isAlive) return child;
    children.delete(child);
    return takeIdle();
  };

  return {
    render: (scene, options = {}) =>
      limit(async () => {
        options.signal?.throwIfAborted();
        if (isClosed) throw new SceneError('render_crashed', 'The render pool was closed');
        const child = takeIdle() ?? start();
        try {
          return await child.render(scene, options);
        } finally {
          await release(child);
        }
      }),
    async close() {
      isClosed = true;
      await Promise.all([...children].map((child) => child.stop()));
      children.clear();
      idle.length = 0;
    },
  };
}
