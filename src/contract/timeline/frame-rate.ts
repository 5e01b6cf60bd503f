/** Frames per second as a fraction in lowest terms; both positive integers. */
export interface FrameRate {
  readonly numerator: number;
  readonly denominator: number;
}

const NTSC_TOLERANCE = 0.005;
const MAX_DENOMINATOR = 1001;

/**
 * Returns the exact frame rate for a decimal number: 29.97 and its float spellings (29.9700012207031) mean 30000/1001, as in After
 * Effects, cameras and players. Any other rate becomes the nearest fraction with a denominator up to 1001.
 *
 * @param fps finite, > 0
 */
export function frameRateOf(fps: number): FrameRate {
  const whole = Math.round(fps);
  if (Math.abs(fps - whole) < 1e-6 && whole > 0) return { numerator: whole, denominator: 1 };
  const ceiling = Math.ceil(fps);
  if (ceiling % 6 === 0 && Math.abs(fps - (ceiling * 1000) / 1001) < NTSC_TOLERANCE) {
    return { numerator: ceiling * 1000, denominator: 1001 };
  }
  return nearestFraction(fps);
}

/** Returns the best convergent of the continued fraction. */
function nearestFraction(value: number): FrameRate {
  let [previous, current] = [
    { numerator: 0, denominator: 1 },
    { numerator: 1, denominator: 0 },
  ];
  let rest = value;
  for (;;) {
    const part = Math.floor(rest);
    const next = {
      numerator: part * current.numerator + previous.numerator,
      denominator: part * current.denominator + previous.denominator,
    };
    if (next.denominator > MAX_DENOMINATOR) break;
    [previous, current] = [current, next];
    if (rest - part < 1e-9) break;
    rest = 1 / (rest - part);
  }
  return current.numerator > 0 ? current : { numerator: 1, denominator: MAX_DENOMINATOR };
}
