/** Returns a function that collects the young generation, and everything at each call whose number `count` divides. */
function collectAllEvery(count: number): () => void {
  let calls = 0;
  return () => {
    calls += 1;
    if (calls % count === 0) globalThis.gc?.();
    else globalThis.gc?.({ type: 'minor' });
  };
}

/**
 * Frees the pixel buffers of past frames. Each is a small JavaScript object that owns megabytes of native memory, freed
 * only when the object is collected; left alone V8 collects late, and then everything. Asking for its young generation
 * alone takes half a millisecond; only a full collection frees those that survived several frames. Has no effect if Node
 * runs without `--expose-gc`.
 */
export const freeBuffers = collectAllEvery(30);

/**
 * Frees the native memory of a small scene after a few stills: megabytes behind small objects, mostly young ones. A full
 * collection takes longer than drawing a still, so it runs only for every eighth scene.
 */
export const freeSmallScene = collectAllEvery(8);
