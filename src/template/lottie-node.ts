/** A JSON object inside a Lottie document. */
export type LottieNode = Record<string, unknown>;
