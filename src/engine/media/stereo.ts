/** Sound for both ears; lists of one length, samples in -1..1 or a little beyond. */
export interface Stereo {
  readonly left: Float32Array;
  readonly right: Float32Array;
}

/** 3 dB less. */
const AWAY = Math.SQRT1_2;

/**
 * Any number of channels as two, by the weights of ITU-R BS.775-3 (centre and surround 3 dB less, no low-frequency channel),
 * turned down so that nothing can go beyond what came in. One channel is heard on both sides.
 *
 * @param channels in the order of FFmpeg's layouts: front left, front right, centre, low frequency, then pairs
 */
export function toStereo(channels: readonly Float32Array[]): Stereo {
  const [first, second, ...others] = channels as [Float32Array, ...Float32Array[]];
  if (second === undefined) return { left: first, right: first };
  if (others.length === 0) return { left: first, right: second };
  const hasCentre = channels.length !== 4;
  const hasLow = channels.length >= 6;
  const centre = hasCentre ? others[0] : undefined;
  const around = others.slice((hasCentre ? 1 : 0) + (hasLow ? 1 : 0));
  const pairs = Math.ceil(around.length / 2);
  const scale = 1 / (1 + (centre === undefined ? 0 : AWAY) + pairs * AWAY);
  const side = (front: Float32Array, offset: number): Float32Array =>
    front.map((sample, at) => {
      let sum = sample + AWAY * (centre?.[at] ?? 0);
      for (let pair = 0; pair < pairs; pair++) sum += AWAY * (around[pair * 2 + offset] ?? around[pair * 2]!)[at]!;
      return sum * scale;
    });
  return { left: side(first, 0), right: side(second, 1) };
}
