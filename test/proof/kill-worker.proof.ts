import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { RenderSession } from '../../src/contract/wire/render-session.ts';
import { openDatabase } from '../../src/service/server/store/open-database.ts';
import { startChild } from '../support/child-program.ts';
import { describeOnDatabases, SILENT } from '../support/databases.ts';
import { count, IS_WHOLE, tell } from '../support/proof.ts';

const PROGRAM = join(import.meta.dirname, '../service/server/queue/serve-jobs.ts');
const KEYS = count(300, 8);
const KILLS = count(25, 1);

describeOnDatabases('kill -9 of a process that creates sessions and renders them', (databases, kind) => {
  // At the small count, kill-server.proof.ts kills processes with the embedded database.
  it.skipIf(kind === 'pglite' && !IS_WHOLE)(
    `loses no session and ends each once: ${KEYS} sessions, ${KILLS} kills`,
    async () => {
      const { url, directory } = await databases.address();
      const args = [url ?? '', directory, String(KEYS), '5'];
      const said: string[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        // PostgreSQL supports several processes.
        const others = kind === 'postgres' ? [await startChild(PROGRAM, args)] : [];
        const child = await startChild(PROGRAM, args);
        await child.line('ready');
        await setTimeout(randomInt(10, 400));
        await Promise.all([child, ...others].map((each) => each.kill()));
        said.push(...[child, ...others].flatMap(({ lines }) => lines));
      }
      const last = await startChild(PROGRAM, args);
      await last.line('all ended');
      expect(await last.ended).toMatchObject({ exitCode: 0 });
      said.push(...last.lines);

      const database = await openDatabase({ url, directory, log: SILENT });
      const sessions = await database.query<{ id: string; status: string; attempt: number; session: RenderSession }>(
        'select id, status, attempt, session from reelform.sessions',
      );
      const live = await database.query(`select 1 from reelform_jobs.job where state in ('created', 'retry')`);
      await database.close();
      expect(sessions).toHaveLength(KEYS);
      expect(live).toEqual([]);
      const of = (word: string): string[] =>
        said.filter((line) => line.startsWith(`${word} `)).map((line) => line.split(' ')[1]!);
      // A kill between the commit and its output hides some ends, but none is printed twice.
      expect(new Set(of('created')).size).toBe(of('created').length);
      expect(new Set(of('ended')).size).toBe(of('ended').length);
      const ids = new Set(sessions.map(({ id }) => id));
      expect(of('created').filter((id) => !ids.has(id))).toEqual([]);
      for (const { id, status, attempt, session } of sessions) {
        expect(['preview_rendered', 'preview_failed']).toContain(status);
        if (status === 'preview_rendered') expect(session.title).toBe(`by ${attempt}`);
        const ends = said.filter((line) => line.startsWith(`ended ${id} `));
        expect([[], [`ended ${id} ${attempt}`]]).toContainEqual(ends);
      }
      const attempts = sessions.reduce((sum, { attempt }) => sum + attempt, 0);
      const given = sessions.filter(({ status }) => status === 'preview_failed').length;
      tell(`${kind}: ${KEYS} sessions, ${KILLS} kills, ${attempts} attempts, ${given} given up after three`);
    },
    1_200_000,
  );

  it.skipIf(!IS_WHOLE || kind === 'pglite')(
    'keeps a paused process from overwriting the process that took its job',
    async () => {
      const { url } = await databases.address();
      const slow = await startChild(PROGRAM, [url!, '', '1', '1000']);
      await slow.line('begun');
      process.kill(slow.pid, 'SIGSTOP');
      const other = await startChild(PROGRAM, [url!, '', '1', '1000']);
      const ended = await other.line('ended');
      process.kill(slow.pid, 'SIGCONT');
      await slow.line('all ended');
      expect(ended).toMatch(/ 2$/);
      expect(slow.lines.filter((line) => line.startsWith('ended'))).toEqual([]);
    },
    120_000,
  );
});
