import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { RenderSession } from '../../src/contract/wire/render-session.ts';
import { openDatabase } from '../../src/service/server/store/open-database.ts';
import { startChild } from '../support/child-program.ts';
import { describeOnDatabases, SILENT } from '../support/databases.ts';
import { count, IS_WHOLE, tell } from '../support/proof.ts';
import { startS3Server } from '../support/s3-server.ts';

const PROGRAM = join(import.meta.dirname, '../service/server/deliveries/serve-deliveries.ts');
const SESSIONS = count(10, 2);
const KILLS = count(12, 1);
const MEGABYTES = 20;
/** Parts of 8 MiB. */
const PARTS = Math.ceil(MEGABYTES / 8);

describeOnDatabases('kill -9 of a process that delivers', (databases, kind) => {
  // With PostgreSQL a killed process is noticed only after 15 s.
  it.skipIf(kind === 'postgres' && !IS_WHOLE)(
    `resumes and delivers each video once: ${SESSIONS} sessions, ${KILLS} kills`,
    async () => {
      const bucket = await startS3Server();
      onTestFinished(() => bucket.close());
      Object.assign(process.env, bucket.env);
      const objects = await mkdtemp(join(tmpdir(), 'reelform-objects-'));
      onTestFinished(() => rm(objects, { recursive: true, force: true }));
      const { url, directory } = await databases.address();
      const args = [url ?? '', directory, objects, bucket.url, String(SESSIONS), String(MEGABYTES)];
      const said: string[] = [];
      const isPart = ({ method, query }: { method: string; query: object }): boolean =>
        method === 'PUT' && 'partNumber' in query;
      for (let kill = 0; kill < KILLS; kill++) {
        let left = randomInt(2, 2 * PARTS);
        const child = await startChild(PROGRAM, args);
        const killed = new Promise<void>((resolve) => {
          bucket.fault((request) => {
            if (isPart(request) && --left === 0) resolve(child.kill());
            return null;
          });
        });
        await Promise.race([killed, child.ended]);
        said.push(...child.lines);
      }
      bucket.fault(null);
      const last = await startChild(PROGRAM, args);
      await last.line('all ended');
      expect(await last.ended).toMatchObject({ exitCode: 0 });
      said.push(...last.lines);

      const database = await openDatabase({ url, directory, log: SILENT });
      const rows = await database.query<{ session: RenderSession; external_uploads: { status: string; to: string }[] }>(
        'select session, external_uploads from reelform.sessions',
      );
      await database.close();
      const uploads = rows.flatMap(({ external_uploads }) => external_uploads);
      expect(uploads).toHaveLength(2 * SESSIONS);
      expect(uploads.filter(({ status }) => status !== 'complete')).toEqual([]);
      expect(rows.every(({ session }) => session.status === 'preview_rendered')).toBe(true);
      const video = Buffer.alloc(MEGABYTES * 2 ** 20, 'reelform');
      const keys = await bucket.keys('videos');
      expect(keys).toEqual(uploads.map(({ to }) => to.replace('s3://videos/', '')).sort());
      for (const key of keys) expect((await bucket.read('videos', key))?.equals(video)).toBe(true);
      // A kill between the commit and its output hides some ends, but none is printed twice.
      const ends = said.filter((line) => line.startsWith('ended '));
      expect(new Set(ends).size).toBe(ends.length);
      const parts = bucket.requests.filter(isPart).length;
      const needed = 2 * SESSIONS * PARTS;
      // A kill loses at most two concurrent deliveries with four parts each, but no multipart upload starts again.
      expect(parts).toBeLessThanOrEqual(needed + KILLS * 2 * PARTS);
      tell(`${kind}: ${uploads.length} uploads, ${KILLS} kills, ${parts} parts sent of ${needed} needed`);
    },
    1_200_000,
  );
});
