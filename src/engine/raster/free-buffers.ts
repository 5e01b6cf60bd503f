/** Frames between two collections: few enough to hold little memory, many enough to cost nothing. */
const EVERY_FRAMES = 4;

/**
 * Frees the pixel buffers of past frames. Each is a small JavaScript object that owns megabytes of native memory, freed
 * only when the object is collected; left alone V8 collects late, and then everything. Asking for its young generation
 * alone takes a fraction of a millisecond.
 *
 * @param frame index of the frame that was done last
 * @returns false where Node runs without `--expose-gc`, so that nothing was or will be freed by this
 */
export function freeBuffers(frame: number): boolean {
  const { gc } = globalThis;
  if (gc === undefined) return false;
  if (frame % EVERY_FRAMES === 0) gc({ type: 'minor' });
  return true;
}

/** Scenes between two whole collections: what is left of small ones is a few megabytes each. */
const EVERY_SCENES = 8;
let scenes = 0;

/**
 * Frees what is left of a small scene, a few stills of it drawn: megabytes of native memory behind small objects, most of which
 * are young. Collecting everything takes longer than drawing a still, and is done now and then.
 */
export function freeSmallScene(): void {
  scenes += 1;
  if (scenes % EVERY_SCENES === 0) globalThis.gc?.();
  else globalThis.gc?.({ type: 'minor' });
}
