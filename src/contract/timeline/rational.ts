import type { FrameRate } from './frame-rate.ts';

/** A fraction in lowest terms with a positive denominator. Calculations are exact. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** A fraction as JSON: a whole number, or a text such as `100/3`. */
export type RationalJson = number | string;

/** Returns numerator / denominator in lowest terms. @param denominator not 0 */
export function rational(numerator: bigint | number, denominator: bigint | number = 1): Rational {
  const top = BigInt(numerator);
  const bottom = BigInt(denominator);
  if (bottom === 1n) return { numerator: top, denominator: bottom };
  const divisor = greatestDivisor(top, bottom) * (bottom < 0n ? -1n : 1n);
  if (divisor === 1n) return { numerator: top, denominator: bottom };
  return { numerator: top / divisor, denominator: bottom / divisor };
}

export const ZERO = rational(0);
export const ONE = rational(1);

/** Returns the frames per second of a rate. */
export function rationalRate({ numerator, denominator }: FrameRate): Rational {
  return rational(numerator, denominator);
}

/**
 * Returns the value of the shortest decimal that JavaScript writes for a number: 0.1 is one tenth, although the binary number
 * differs from it.
 *
 * @param value finite
 */
export function decimal(value: number): Rational {
  const [digits = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  const power = Number(exponent) - fraction.length;
  // Most times have few digits, which numbers hold exactly.
  if (power <= 0 && power >= -MAX_POWER && digits.length <= MAX_POWER)
    return rational(Number(whole + fraction), 10 ** -power);
  const integer = BigInt(whole + fraction);
  return power < 0 ? rational(integer, 10n ** BigInt(-power)) : rational(integer * 10n ** BigInt(power));
}

/** Ten to this power, and numbers with as many digits, are safe integers. */
const MAX_POWER = 15;

export function add(a: Rational, b: Rational): Rational {
  if (isWhole(a) && isWhole(b)) return { numerator: a.numerator + b.numerator, denominator: 1n };
  return rational(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

export function subtract(a: Rational, b: Rational): Rational {
  if (isWhole(a) && isWhole(b)) return { numerator: a.numerator - b.numerator, denominator: 1n };
  return rational(a.numerator * b.denominator - b.numerator * a.denominator, a.denominator * b.denominator);
}

export function multiply(a: Rational, b: Rational): Rational {
  return rational(a.numerator * b.numerator, a.denominator * b.denominator);
}

/** Returns a / b. @param b not 0 */
export function divide(a: Rational, b: Rational): Rational {
  return rational(a.numerator * b.denominator, a.denominator * b.numerator);
}

/** Returns a negative number if a < b, 0 if they are equal, and a positive number if a > b. */
export function compare(a: Rational, b: Rational): number {
  const isAlike = a.denominator === b.denominator;
  const left = isAlike ? a.numerator : a.numerator * b.denominator;
  const right = isAlike ? b.numerator : b.numerator * a.denominator;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Returns the largest whole number that is not above the value. */
export function floor({ numerator, denominator }: Rational): number {
  const quotient = numerator / denominator;
  return Number(numerator < 0n && quotient * denominator !== numerator ? quotient - 1n : quotient);
}

/** Returns the smallest whole number that is not below the value. */
export function ceiling({ numerator, denominator }: Rational): number {
  return 0 - floor({ numerator: -numerator, denominator });
}

/** Returns the nearest whole number; the larger of two that are equally near. */
export function nearest(value: Rational): number {
  return floor(add(value, rational(1, 2)));
}

/** Returns the frame nearest to a time; null if the time is negative or not finite. */
export function framesOf(seconds: number, rate: Rational): number | null {
  return Number.isFinite(seconds) && seconds >= 0 ? nearest(multiply(decimal(seconds), rate)) : null;
}

/** Returns the floating-point number that is nearest to the value. */
export function toNumber({ numerator, denominator }: Rational): number {
  return Number(numerator) / Number(denominator);
}

/** Returns a value as JSON. */
export function rationalJson({ numerator, denominator }: Rational): RationalJson {
  return denominator === 1n ? Number(numerator) : `${numerator}/${denominator}`;
}

/** Returns whether a value of unknown origin is a fraction, whose denominator is not 0. */
export function isRationalJson(value: unknown): value is RationalJson {
  if (typeof value === 'string') return value.length <= MAX_DIGITS && /^-?[0-9]+\/[1-9][0-9]*$/.test(value);
  return typeof value === 'number' && Number.isSafeInteger(value);
}

/** Digits of a numerator and denominator together; far beyond those of any time. */
const MAX_DIGITS = 200;

/** Returns the value of its JSON. */
export function rationalOf(json: RationalJson): Rational {
  if (typeof json === 'number') return rational(json);
  const [numerator = '', denominator = '1'] = json.split('/');
  return rational(BigInt(numerator), BigInt(denominator));
}

/** Most times are whole frames, whose sums need no divisor. */
function isWhole({ denominator }: Rational): boolean {
  return denominator === 1n;
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  let divisor = a < 0n ? -a : a;
  let rest = b < 0n ? -b : b;
  while (rest !== 0n) {
    if (divisor <= MAX_SAFE && rest <= MAX_SAFE) return BigInt(safeDivisor(Number(divisor), Number(rest)));
    [divisor, rest] = [rest, divisor % rest];
  }
  return divisor;
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Computes with numbers, which are faster. @param a at most `MAX_SAFE`, as is b */
function safeDivisor(a: number, b: number): number {
  let [divisor, rest] = [a, b];
  while (rest !== 0) [divisor, rest] = [rest, divisor % rest];
  return divisor;
}
