import { onTestFinished } from 'vitest';
import {
  createRenderPool,
  type RenderPool,
  type RenderPoolOptions,
} from '../../src/service/sessions/processes/render-pool.ts';
import { movingInput } from '../engine/inputs.ts';

/** Opens a real render pool that is closed with the test. */
export function openPool(options: Partial<RenderPoolOptions> = {}): RenderPool {
  const pool = createRenderPool({ size: 1, ...options });
  onTestFinished(() => pool.close());
  return pool;
}

/** Starts a render of a thousand frames. Resolves after the first frame, with the promise of the result. */
export async function begun(pool: RenderPool, signal?: AbortSignal): Promise<{ rendering: Promise<unknown> }> {
  let rendering: Promise<unknown> = Promise.resolve();
  await new Promise<void>((resolve) => {
    rendering = pool
      .run('video', movingInput({ frameCount: 1_000 }), { onProgress: () => resolve(), ...(signal && { signal }) })
      .catch((error: unknown) => error);
  });
  return { rendering };
}
