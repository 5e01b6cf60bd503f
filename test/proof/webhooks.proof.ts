import { randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/service/server/store/open-database.ts';
import { startChild } from '../support/child-program.ts';
import { describeOnDatabases, SILENT } from '../support/databases.ts';
import { count, IS_WHOLE, tell } from '../support/proof.ts';

const PROGRAM = join(import.meta.dirname, '../service/server/webhooks/send-webhooks.ts');
const MESSAGES = count(300, 10);
const KILLS = count(25, 1);

interface Receiver {
  readonly url: string;
  /** Deliveries and session of each message. */
  readonly taken: Map<string, { times: number; session: string }>;
  readonly seen: { tries: number; forged: number };
  trust(secret: string): void;
}

/** Accepts most requests that verify. Otherwise fails in one of several ways, and loses some answers to accepted ones. */
async function startReceiver(): Promise<Receiver> {
  const taken: Receiver['taken'] = new Map();
  const seen = { tries: 0, forged: 0 };
  let webhook: Webhook | null = null;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    seen.tries++;
    if (webhook === null || Math.random() < 0.15) return void response.writeHead(500).end();
    if (Math.random() < 0.1) return void request.socket.destroy();
    try {
      webhook.verify(text, request.headers as Record<string, string>);
    } catch {
      seen.forged++;
      return void response.writeHead(400).end();
    }
    const id = String(request.headers['webhook-id']);
    const { times = 0 } = taken.get(id) ?? {};
    taken.set(id, { times: times + 1, session: JSON.parse(text).data.render_session.id });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    taken,
    seen,
    trust(secret) {
      webhook = new Webhook(secret);
    },
  };
}

describeOnDatabases('kill -9 of processes that send webhooks to a receiver that fails', (databases, kind) => {
  // At the small count, kill-delivery.proof.ts kills processes with the embedded database.
  it.skipIf(kind === 'pglite' && !IS_WHOLE)(
    `loses no message, creates none twice, and repeats no more than the kills: ${MESSAGES} messages, ${KILLS} kills`,
    async () => {
      const { url, directory } = await databases.address();
      const receiver = await startReceiver();
      const args = [url ?? '', directory, receiver.url, String(MESSAGES)];
      for (let kill = 0; kill < KILLS; kill++) {
        const others = kind === 'postgres' ? [await startChild(PROGRAM, args)] : [];
        const child = await startChild(PROGRAM, args);
        receiver.trust((await child.line('secret ')).slice('secret '.length));
        await child.line('ready');
        await setTimeout(randomInt(20, 500));
        await Promise.all([child, ...others].map((each) => each.kill()));
      }
      const last = await startChild(PROGRAM, args);
      await last.line('all told');
      expect(await last.ended).toMatchObject({ exitCode: 0 });

      const database = await openDatabase({ url, directory, log: SILENT });
      const deliveries = await database.query<{ message_id: string; status: string; attempts: number; tries: number }>(
        `select message_id, status, attempts,
          (select count(*) from reelform.webhook_attempts where delivery_id = id) as tries
        from reelform.webhook_deliveries`,
      );
      const sessions = await database.query<{ id: string }>('select id from reelform.sessions');
      await database.close();
      const { taken, seen } = receiver;
      expect(seen.forged).toBe(0);
      expect(deliveries.filter(({ status }) => status !== 'delivered')).toEqual([]);
      expect(deliveries).toHaveLength(MESSAGES);
      // One message per session, each accepted.
      expect([...taken.values()].map(({ session }) => session).toSorted()).toEqual(
        sessions.map(({ id }) => id).toSorted(),
      );
      expect([...taken.keys()].toSorted()).toEqual(deliveries.map(({ message_id }) => message_id).toSorted());
      // Accepted messages repeat only when a process dies before recording them, at most two at once per endpoint.
      const repeats = [...taken.values()].reduce((sum, { times }) => sum + times - 1, 0);
      const interrupted = deliveries.reduce((sum, { attempts, tries }) => sum + attempts - tries, 0);
      expect(repeats).toBeLessThanOrEqual(interrupted);
      expect(repeats).toBeLessThanOrEqual(2 * KILLS);
      tell(
        `${kind}: ${MESSAGES} messages, ${KILLS} kills, ${seen.tries} tries, ${interrupted} interrupted, ${repeats} repeated, 0 lost, 0 refused`,
      );
    },
    1_200_000,
  );
});
