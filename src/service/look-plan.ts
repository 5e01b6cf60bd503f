/**
 * When to look at sessions of one kind, by how long earlier ones took: ages in milliseconds, ascending. Each is a time at
 * which as many have ended as make a look worth its cost.
 */
export type LookPlan = readonly number[];

/** What a look costs, as a share of a render's time: a video that is found this much later is as bad as a request more. */
export const LOOK_COST = 0.0015;

/** More samples tell little more, and planning is quadratic. */
const MAX_POINTS = 32;

/** No sample is the whole truth: the next render may take this many times as long. */
const DOUBTS = [0.8, 0.9, 1.01, 1.04, 1.1, 1.25, 1.6];
/** How much all doubts together weigh, in samples. */
const DOUBT = 0.1;

interface Point {
  readonly ageMs: number;
  readonly weight: number;
}

/**
 * The look times of the least expected cost, where a late discovery costs its lateness and each look at a session that
 * has not ended costs `lookCostMs`. Optimal inspection of an empirical distribution, by dynamic programming: only ages at
 * which something ends can be best.
 *
 * @param durationsMs of ended sessions, in any order
 * @see Barlow, Hunter and Proschan, "Optimum checking procedures", 1963
 */
export function planLooks(durationsMs: readonly number[], lookCostMs: number): LookPlan {
  const points = pointsOf(durationsMs);
  const count = points.length;
  /** Of weights and of weight × age, of the first i points. */
  const weights = new Float64Array(count + 1);
  const moments = new Float64Array(count + 1);
  points.forEach(({ ageMs, weight }, index) => {
    weights[index + 1] = weights[index]! + weight;
    moments[index + 1] = moments[index]! + weight * ageMs;
  });
  /** From the first i points on being over: the least cost of the rest, and the point of the next look. */
  const costs = new Float64Array(count + 1);
  const nexts = new Int32Array(count + 1);
  for (let over = count - 1; over >= 0; over -= 1) {
    const running = (weights[count]! - weights[over]!) * lookCostMs;
    let best = Number.POSITIVE_INFINITY;
    for (let next = over + 1; next <= count; next += 1) {
      const ended = weights[next]! - weights[over]!;
      const latenessMs = ended * points[next - 1]!.ageMs - (moments[next]! - moments[over]!);
      // It only grows from here on.
      if (latenessMs >= best) break;
      const cost = running + latenessMs + costs[next]!;
      if (cost < best) {
        best = cost;
        nexts[over] = next;
      }
    }
    costs[over] = best;
  }
  const plan: number[] = [];
  for (let over = 0; over < count; over = nexts[over]!) plan.push(points[nexts[over]! - 1]!.ageMs);
  return plan;
}

function pointsOf(durationsMs: readonly number[]): Point[] {
  const sorted = [...durationsMs].sort((a, b) => a - b);
  const count = Math.min(sorted.length, MAX_POINTS);
  const share = DOUBT / (count * DOUBTS.length);
  return Array.from({ length: count }, (_, index) => sorted[Math.floor(((index + 1) * sorted.length) / count) - 1]!)
    .flatMap((ageMs) => [{ ageMs, weight: 1 }, ...DOUBTS.map((doubt) => ({ ageMs: ageMs * doubt, weight: share }))])
    .sort((a, b) => a.ageMs - b.ageMs);
}
