/** Returns a function that runs a minor garbage collection, and at every `count`-th call a full collection. */
function collectAllEvery(count: number): () => void {
  let calls = 0;
  return () => {
    calls += 1;
    if (calls % count === 0) globalThis.gc?.();
    else globalThis.gc?.({ type: 'minor' });
  };
}

/**
 * Frees the pixel buffers of past frames. Each is a small JavaScript object that owns megabytes of native memory, so V8 would
 * collect them too late. A minor collection takes half a millisecond; buffers that survive several frames need a full collection.
 * Has no effect without `--expose-gc`.
 */
export const freeBuffers = collectAllEvery(30);

/**
 * Frees the native memory of a small input after its stills or lint. A full collection takes longer than drawing a still, so it runs
 * only for every eighth input.
 */
export const freeSmallInput = collectAllEvery(8);
