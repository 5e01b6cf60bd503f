/** Frames between two full collections: buffers that survived the collections of several frames are freed by them alone. */
const EVERY_FRAMES = 30;
let frames = 0;

/**
 * Frees the pixel buffers of past frames. Each is a small JavaScript object that owns megabytes of native memory, freed
 * only when the object is collected; left alone V8 collects late, and then everything. Asking for its young generation
 * alone takes half a millisecond. Has no effect if Node runs without `--expose-gc`.
 */
export function freeBuffers(): void {
  frames += 1;
  if (frames % EVERY_FRAMES === 0) globalThis.gc?.();
  else globalThis.gc?.({ type: 'minor' });
}

/** Scenes between two full collections; each small scene leaves a few megabytes. */
const EVERY_SCENES = 8;
let scenes = 0;

/**
 * Frees the native memory of a small scene after a few stills: megabytes behind small objects, mostly young ones. A full
 * collection takes longer than drawing a still, so it runs only for every eighth scene.
 */
export function freeSmallScene(): void {
  scenes += 1;
  if (scenes % EVERY_SCENES === 0) globalThis.gc?.();
  else freeBuffers();
}
