/**
 * The generation of the engine's picture, part of every embedded fingerprint: raising it plans every video again.
 *
 * Raised when the same scene gives other frames than before: another rasteriser version that draws differently, another
 * colour conversion, another way to crop or scale images, another encoder setting that a viewer could see. Not raised for
 * speed, for the container's bytes, for thumbnails, or for scenes that were refused before.
 */
export const RENDER_EPOCH = 2;
