import { it } from 'vitest';
import { chances, simulateRun } from './simulated-service.ts';
const T = Number(process.env.TT ?? 20_000);
const normal = (chance: () => number) => Math.sqrt(-2 * Math.log(chance() || 1e-9)) * Math.cos(2 * Math.PI * chance());
function make(kind: string, seed: number) {
  const chance = chances(seed);
  for (let i = 0; i < 20; i++) chance();
  const made: number[] = [];
  return (i: number) => {
    while (made.length <= i) made.push(
      kind === 'fixed' ? T : kind === 'jitter' ? T * (1 + 0.005 * chance()) : kind === 'log.1' ? T * Math.exp(0.1 * normal(chance)) :
      kind === 'log.25' ? T * Math.exp(0.25 * normal(chance)) : chance() < 0.8 ? T : 3 * T);
    return made[i]!;
  };
}
it('tunes', { timeout: 600000 }, async () => {
  for (const [videos, concurrency] of [[5, 1], [20, 4], [100, 20], [250, 50], [1000, 50],[1000,1000]] as const)
    for (const kind of ['fixed', 'jitter', 'log.1', 'log.25', 'bimodal'])
      for (const mode of ['cold', 'known', 'cold+p', 'known+p', 'known+list']) {
        const durationMs = make(kind, 7);
        const earlier = make(kind, 99);
        const known = mode.startsWith('known') ? Array.from({ length: 40 }, (_, i) => earlier(i)) : [];
        const r = await simulateRun({ videos, concurrency, known, service: { durationMs, roundTripMs: T * 0.003, showsProgress: mode.endsWith('+p'), lists: mode.endsWith('list') } });
        console.log(`${videos}/${concurrency} ${kind.padEnd(8)} ${mode.padEnd(11)} wall ${r.wallRatio.toFixed(4)} req ${r.requestsPerVideo.toFixed(2)}`);
      }
});
