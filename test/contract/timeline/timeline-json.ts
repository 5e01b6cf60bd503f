import { type Rational, rational, rationalJson } from '../../../src/contract/timeline/rational.ts';
import type { ResolvedTimeline } from '../../../src/contract/timeline/resolve-timeline.ts';
import { isRecord } from '../../../src/kernel/json.ts';

/** Returns a timeline as JSON, in the form of the conformance corpus. Fractions are whole numbers or texts such as `100/3`. */
export function timelineJson(resolved: ResolvedTimeline): unknown {
  return toJson(resolved);
}

function toJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJson);
  if (!isRecord(value)) return value;
  if (isFraction(value)) return rationalJson(rational(value.numerator, value.denominator));
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toJson(field)]));
}

function isFraction(value: object): value is Rational {
  return 'numerator' in value && 'denominator' in value;
}
