/**
 * Share of pixels that may differ between a held frame and its neighbours. Measured on the templates of the gallery: where only a soft
 * background drifts, fewer pixels differ; from 0.1 % on, a stop is visible, such as that of turning rays (0.5 %).
 */
export const MAX_STILL_SHARE = 0.001;
