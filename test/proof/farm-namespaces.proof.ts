import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { untilEnded } from '../support/api.ts';
import { type Farm, type FarmWorker, openFarm } from '../support/farm.ts';
import { type FarmSession, farmRequest, farmSessions, referenceVideos } from '../support/farm-sessions.ts';
import { openNetwork, type TestNetwork } from '../support/network-namespace.ts';
import { IS_WHOLE, tell } from '../support/proof.ts';
import { startS3Server } from '../support/s3-server.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const SESSIONS = 40;
/** Longer than a lease plus the interval at which lapsed leases are found. */
const CUT_MS = 40_000;

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const network: TestNetwork | null = IS_WHOLE ? openNetwork() : null;
if (network !== null) closing.push(() => network.close());
else if (IS_WHOLE) {
  console.error('\n!!! WORKERS IN NETWORKS OF THEIR OWN: NOT PROVEN, it takes Linux, root and iproute2 !!!\n');
}

async function post(farm: Farm, sessions: readonly FarmSession[]): Promise<string[]> {
  const ids: string[] = [];
  for (const session of sessions) {
    const { body } = await farm.api('POST', '/v2/render_sessions', { body: farmRequest(session) });
    ids.push(body.render_session.id);
  }
  return ids;
}

/** Number of sessions that the worker has started. */
function begun({ log }: FarmWorker): number {
  return log.filter((line) => line.includes('"session-begun"')).length;
}

it.skipIf(network === null)(
  'a worker without network loses its job to another, overwrites nothing, and recovers by itself',
  async () => {
    const sessions = farmSessions(SESSIONS);
    const references = await referenceVideos(sessions);
    const bucket = await startS3Server({ host: network!.address, buckets: ['storage', 'deliveries'] });
    closing.push(bucket.close);
    const farm = await openFarm({ bucket });
    closing.push(farm.close);
    const database = await startTcpProxy(farm.databaseUrl, network!.address);
    closing.push(database.close);
    const through = new URL(farm.databaseUrl);
    through.host = new URL(database.url).host;
    const spaces = [network!.namespace(), network!.namespace()];
    const workers: FarmWorker[] = [];
    for (const [index, { within, inside: host }] of spaces.entries()) {
      workers.push(await farm.hire(`machine ${index}`, { within, host, env: { DATABASE_URL: through.href } }));
    }
    const [first] = workers;

    const ids = await post(farm, sessions.slice(0, SESSIONS / 2));
    while (first!.atWork().length === 0) await sleep(5);
    const lost = first!.atWork();
    spaces[0]!.cut();
    const cutAt = performance.now();
    for (const id of ids) expect(await untilEnded(farm.api, id)).toMatchObject({ status: 'preview_rendered' });
    const withoutSeconds = (performance.now() - cutAt) / 1000;
    await sleep(Math.max(0, CUT_MS - (performance.now() - cutAt)));
    const before = begun(first!);
    spaces[0]!.mend();
    const mendedAt = performance.now();
    let next = SESSIONS / 2;
    while (begun(first!) === before && next < SESSIONS) {
      ids.push(...(await post(farm, sessions.slice(next, next + 1))));
      next += 1;
      await sleep(3_000);
    }
    const backSeconds = (performance.now() - mendedAt) / 1000;
    expect(begun(first!)).toBeGreaterThan(before);
    for (const [index, id] of ids.entries()) {
      const { status, video_url: url } = await untilEnded(farm.api, id);
      expect(status).toBe('preview_rendered');
      const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
      expect(bytes.equals(references[index]!)).toBe(true);
    }
    tell(
      `${ids.length} sessions by two workers in networks of their own; one cut off with ${lost.length} at work: all of ` +
        `them ended ${withoutSeconds.toFixed(0)} s later, it worked again ${backSeconds.toFixed(0)} s after the cable was back`,
    );
    const end = await farm.close();
    expect(end).toEqual({ codes: end.codes.map(() => 0), orphans: 0, left: [] });
  },
);
