import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nextPriority, recordStart } from '../../../../src/service/server/queue/fair-priority.ts';
import { anyDatabases } from '../../../support/databases.ts';
import { runs } from '../../../support/full-run.ts';

interface Waiting {
  readonly tenant: string;
  readonly priority: number;
}

/** Each step adds jobs for some tenants and then starts some of the waiting jobs by priority, oldest first. */
const step = fc.record({
  come: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 }),
  begin: fc.nat({ max: 4 }),
});

it('nextPriority() keeps two waiting tenants within two starts of each other', async () => {
  const { database } = await anyDatabases.open();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
      await database.query('truncate reelform.turns');
      const waiting: Waiting[] = [];
      // Lead in starts since both tenants of a pair have continuously had waiting jobs.
      const ahead = new Map([
        ['ab', 0],
        ['ac', 0],
        ['bc', 0],
      ]);
      const balance = (begun: string | null): void => {
        for (const [pair, lead] of ahead) {
          const both = [...pair].every((tenant) => waiting.some((job) => job.tenant === tenant));
          const by = begun === pair[0] ? 1 : begun === pair[1] ? -1 : 0;
          ahead.set(pair, both || by !== 0 ? lead + by : 0);
          expect(Math.abs(ahead.get(pair)!)).toBeLessThanOrEqual(2);
          if (!both) ahead.set(pair, 0);
        }
      };
      for (const { come, begin } of steps) {
        for (const tenant of come) {
          waiting.push({ tenant, priority: await nextPriority(database, 'render', tenant) });
          balance(null);
        }
        for (let count = 0; count < begin && waiting.length > 0; count++) {
          const first = waiting.reduce((best, job) => (job.priority > best.priority ? job : best));
          waiting.splice(waiting.indexOf(first), 1);
          await recordStart(database, 'render', first.priority);
          balance(first.tenant);
        }
      }
    }),
    { numRuns: runs(6) },
  );
});

it("nextPriority() places a late tenant ahead of another tenant's backlog and keeps queues apart", async () => {
  const { database } = await anyDatabases.open();
  for (let turn = 1; turn <= 50; turn++) expect(await nextPriority(database, 'render', 'many')).toBe(-turn);
  await recordStart(database, 'render', -20);
  expect(await nextPriority(database, 'render', 'late')).toBe(-20);
  expect(await nextPriority(database, 'render', 'late')).toBe(-21);
  await recordStart(database, 'render', -5);
  expect(await nextPriority(database, 'render', 'later')).toBe(-20);
  expect(await nextPriority(database, 'still', 'many')).toBe(-1);
});
