/**
 * Version of the engine's frames, part of every embedded fingerprint. Raising it renders every video again.
 *
 * Raise it if the same input gives different frames: after a change of the rasteriser, colour conversion, cropping, scaling or
 * encoder settings that a viewer could see. Do not raise it for speed, the container's bytes, thumbnails, or inputs that were
 * rejected before.
 */
export const RENDER_EPOCH = 2;
