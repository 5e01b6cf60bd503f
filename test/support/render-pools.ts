import { onTestFinished } from 'vitest';
import { createRenderPool, type RenderPool, type RenderPoolOptions } from '../../src/session/render-pool.ts';

/** Real render processes, ended with the test. */
export function openPool(options: Partial<RenderPoolOptions> = {}): RenderPool {
  const pool = createRenderPool({ size: 1, ...options });
  onTestFinished(() => pool.close());
  return pool;
}
