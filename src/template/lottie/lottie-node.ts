/** A JSON object inside a Lottie document. */
export type LottieNode = Record<string, unknown>;

/** `ty` of a layer. @see Lottie specification 1.0.1, "Layers"; layers that are heard, not seen, are Bodymovin's */
export const LAYER_TYPE = { precomposition: 0, solid: 1, image: 2, text: 5, audio: 6 } as const;
