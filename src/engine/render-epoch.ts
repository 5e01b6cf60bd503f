/**
 * Version of the engine's frames, part of every embedded fingerprint. Raising it renders every video again. For a change of
 * the sound alone, raise `SOUND_EPOCH`.
 *
 * Raise it if the same input gives different frames: after a change of the rasteriser, colour conversion, cropping, scaling or
 * encoder settings that a viewer could see. Do not raise it for speed, the container's bytes, thumbnails, or inputs that were
 * rejected before.
 */
export const RENDER_EPOCH = 2;

/**
 * Version of the engine's sound, part of the fingerprint of every embedded video with sound (see `hasSound`) unless it is 0.
 * Raising it renders these videos again, and no others.
 *
 * Raise it if the same input sounds different: after a change of decoding, resampling, mixing, limiting or encoder settings that a
 * listener could hear.
 */
export const SOUND_EPOCH: number = 0;

/**
 * Version of the engine's timelines, part of the fingerprint of every embedded video that is more than a template with values,
 * unless it is 0. Raising it renders these videos again, and no others.
 *
 * Raise it if the same scenes give other frames: after a change of transitions, of time maps or of how scenes fill the video.
 */
export const TIMELINE_EPOCH: number = 0;

/**
 * Version of drawn captions, part of the fingerprint of every embedded video that draws or contains captions, unless it is 0. Raising it
 * renders these videos again, and no others.
 *
 * Raise it if the same captions give other frames: after a change of line breaking, of where captions stand or of how a style looks. A
 * change of the values of a built-in style needs none.
 */
export const CAPTIONS_EPOCH: number = 0;

/**
 * Names the epochs for caches whose entries do not record which of them they depend on. An epoch of 0 is left out. A further epoch
 * is added here, and to the fingerprints of the videos that use its feature.
 */
export function epochNames(sound = SOUND_EPOCH, timeline = TIMELINE_EPOCH, captions = CAPTIONS_EPOCH): string {
  const named = [
    `epoch ${RENDER_EPOCH}`,
    sound !== 0 && `sound epoch ${sound}`,
    timeline !== 0 && `timeline epoch ${timeline}`,
    captions !== 0 && `captions epoch ${captions}`,
  ];
  return named.filter((name) => name !== false).join(', ');
}
