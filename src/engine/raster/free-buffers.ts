/** Frames between two collections: few enough to hold little memory, many enough to cost nothing. */
const EVERY_FRAMES = 2;

/**
 * Frees the pixel buffers of past frames. Each is a small JavaScript object that owns megabytes of native memory, freed
 * only when the object is collected; left alone V8 collects late, and then everything. Asking for its young generation
 * alone takes a fraction of a millisecond.
 *
 * @param frame index of the frame that was done last
 * @returns false if Node runs without `--expose-gc`: the call has no effect
 */
export function freeBuffers(frame: number): boolean {
  const { gc } = globalThis;
  if (gc === undefined) return false;
  if (frame % EVERY_FRAMES === 0) gc({ type: 'minor' });
  return true;
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
  else globalThis.gc?.({ type: 'minor' });
}
