import type { FrameRate } from './frame-rate.ts';

/** A fraction in lowest terms with a positive denominator. Calculations are exact. */
export interface Rational {
  readonly numerator: Integer;
  readonly denominator: Integer;
}

/** A number where it is exact, which those of nearly all times are: a `bigint` takes several times as long. */
type Integer = number | bigint;

/** A fraction as JSON: a whole number, or a text such as `100/3`. */
export type RationalJson = number | string;

/** Returns numerator / denominator in lowest terms. @param denominator not 0 */
export function rational(numerator: Integer, denominator: Integer = 1): Rational {
  if (!Number.isSafeInteger(numerator) || !Number.isSafeInteger(denominator)) {
    return longRational(BigInt(numerator), BigInt(denominator));
  }
  const top = numerator as number;
  const bottom = denominator as number;
  const divisor = bottom === 1 ? 1 : greatestDivisor(top, bottom) * Math.sign(bottom);
  // Zero has no sign.
  return { numerator: top / divisor + 0, denominator: bottom / divisor };
}

function longRational(top: bigint, bottom: bigint): Rational {
  let [divisor, rest] = [top, bottom];
  while (rest !== 0n) [divisor, rest] = [rest, divisor % rest];
  if (divisor < 0n !== bottom < 0n) divisor = -divisor;
  return { numerator: shortest(top / divisor), denominator: shortest(bottom / divisor) };
}

function shortest(integer: bigint): Integer {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer;
}

function greatestDivisor(a: number, b: number): number {
  let [divisor, rest] = [a, b];
  while (rest !== 0) [divisor, rest] = [rest, divisor % rest];
  return Math.abs(divisor);
}

function product(a: Integer, b: Integer): Integer {
  const short = typeof a === 'number' && typeof b === 'number' ? a * b : Number.NaN;
  return Number.isSafeInteger(short) ? short : BigInt(a) * BigInt(b);
}

function sum(a: Integer, b: Integer): Integer {
  const short = typeof a === 'number' && typeof b === 'number' ? a + b : Number.NaN;
  return Number.isSafeInteger(short) ? short : BigInt(a) + BigInt(b);
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
  const [left, right] = [product(a.numerator, b.denominator), product(b.numerator, a.denominator)];
  return rational(sum(left, right), product(a.denominator, b.denominator));
}

export function subtract(a: Rational, { numerator, denominator }: Rational): Rational {
  return add(a, { numerator: -numerator, denominator });
}

export function multiply(a: Rational, b: Rational): Rational {
  return rational(product(a.numerator, b.numerator), product(a.denominator, b.denominator));
}

/** Returns a / b. @param b not 0 */
export function divide(a: Rational, b: Rational): Rational {
  return rational(product(a.numerator, b.denominator), product(a.denominator, b.numerator));
}

/** Returns a negative number if a < b, 0 if they are equal, and a positive number if a > b. */
export function compare(a: Rational, b: Rational): number {
  const [left, right] = [product(a.numerator, b.denominator), product(b.numerator, a.denominator)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Returns the largest whole number that is not above the value. */
export function floor({ numerator, denominator }: Rational): number {
  if (typeof numerator === 'number' && typeof denominator === 'number') {
    // The rest is exact, which a quotient need not be.
    const rest = numerator % denominator;
    const whole = (numerator - rest) / denominator;
    return rest < 0 ? whole - 1 : whole;
  }
  const [top, bottom] = [BigInt(numerator), BigInt(denominator)];
  const quotient = top / bottom;
  return Number(top < 0n && quotient * bottom !== top ? quotient - 1n : quotient);
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
  return denominator === 1 ? Number(numerator) : `${numerator}/${denominator}`;
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
