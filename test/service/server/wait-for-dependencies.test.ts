import { expect, it } from 'vitest';
import { ReelformError } from '../../../src/kernel/diagnostic.ts';
import type { Log } from '../../../src/service/server/log.ts';
import { waitForDependencies } from '../../../src/service/server/wait-for-dependencies.ts';

function openLog() {
  const said: string[] = [];
  const log: Log = { debug() {}, info() {}, error() {}, warn: (_, message) => void said.push(message) };
  return { said, log };
}

it('waitForDependencies() retries until the dependency answers', async () => {
  const { said, log } = openLog();
  let tries = 0;
  const opened = waitForDependencies(
    async () => {
      if (++tries < 3) throw new ReelformError('database_unavailable', 'it does not answer');
      return 'open';
    },
    { patienceMs: 60_000, log },
  );
  expect(await opened).toBe('open');
  expect(said).toHaveLength(2);
});

it('waitForDependencies() fails at once without patience or for permanent errors', async () => {
  const { said, log } = openLog();
  const away = new ReelformError('storage_unavailable', 'it does not answer');
  await expect(waitForDependencies(() => Promise.reject(away), { patienceMs: 0, log })).rejects.toBe(away);
  const newer = new ReelformError('database_newer', 'the database is newer');
  await expect(waitForDependencies(() => Promise.reject(newer), { patienceMs: 60_000, log })).rejects.toBe(newer);
  expect(said).toEqual([]);
});
