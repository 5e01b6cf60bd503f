import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { RenderSession } from '../../../src/contract/wire/render-session.ts';
import type { LockEntry } from '../../../src/reconciler/lock/lock.ts';
import { openDatabase } from '../../../src/service/server/store/open-database.ts';
import { type Api, untilEnded } from '../../support/api.ts';
import { type DatabaseAddress, describeOnDatabases, SILENT } from '../../support/databases.ts';
import { freePort } from '../../support/free-port.ts';
import { definition, makeRepository, NO_LINT } from '../../support/repository.ts';
import { type RunningService, sessionBody, startService } from '../../support/running-service.ts';
import { reelform } from '../../support/test-io.ts';
import { openReceiver } from './webhooks/open-test-webhooks.ts';

const SESSIONS = '/v2/render_sessions';
const HOOKS = '/v2/webhook_endpoints';

/** Writes what versions before this one stored: the URLs of files at the address of that time. */
async function asOlderVersion(address: DatabaseAddress, publicUrl: string): Promise<void> {
  const database = await openDatabase({ ...address, log: SILENT });
  for (const [table, column] of [
    ['sessions', 'session'],
    ['webhook_messages', 'body'],
  ]) {
    await database.query(
      `update reelform.${table} set ${column} = regexp_replace(${column}::text,
        '"(/outputs/|/v2/template_style_versions/)', '"${publicUrl}\\1', 'g')::${table === 'sessions' ? 'json' : 'text'}`,
    );
  }
  await database.close();
}

/** Returns all URLs of the service's own files in an answer. */
function urlsOf({ video_url, thumbnails, download_url, outputs = [] }: RenderSession): string[] {
  const files = [video_url, download_url, ...outputs.map((one) => one.video_url), ...thumbnails];
  return files.filter((url) => url !== null && url !== undefined);
}

async function firstEvent(api: Api, id: string): Promise<RenderSession> {
  const { body } = await api('GET', `${SESSIONS}/${id}/events`);
  return JSON.parse(/^data: (.*)$/m.exec(body as string)![1]!).render_session;
}

describeOnDatabases('a service with a new public URL', (databases) => {
  it.each([
    { what: 'of this version', isOlder: false },
    { what: 'of a version that stored URLs', isOlder: true },
  ])('answers with files at that URL, for sessions $what', async ({ isOlder }) => {
    const address = await databases.address();
    const port = await freePort();
    const [oldUrl, newUrl] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
    const settings = { port, allowWebhooks: ['127.0.0.1:*'] };
    const old = await startService(address, { ...settings, publicUrl: oldUrl });
    const { api, token } = await old.client();
    const receiver = await openReceiver();
    receiver.answer = { status: 500 };
    const hook = (await api('POST', HOOKS, { body: { url: receiver.url } })).body.webhook_endpoint.id as string;
    const video = { url: receiver.url, signature: 'shakr' };
    const videoHook = (await api('POST', HOOKS, { body: video })).body.webhook_endpoint.id as string;

    const root = makeRepository({ 'videos/oslo.yaml': definition('Oslo'), 'videos/berlin.yaml': definition('Berlin') });
    onTestFinished(() => rmSync(root, { recursive: true }));
    const configure = (url: string): void => {
      const config = `service: {url: "${url}"}\ntemplates:\n  small: ${old.styleVersion}\n${NO_LINT}`;
      writeFileSync(join(root, 'reelform.yaml'), config);
    };
    const run = (...args: string[]) => reelform(root, args, { env: { REELFORM_TOKEN: token }, now: Date.now });
    const entries = (): LockEntry[] => {
      const { videos } = JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8'));
      return Object.values(videos);
    };
    configure(oldUrl);
    expect(await run('pull')).toMatchObject({ exitCode: 0 });
    expect(await run('apply', '--auto-approve')).toMatchObject({ exitCode: 0 });
    expect(entries().map(({ video_url }) => video_url.startsWith(`${oldUrl}/outputs/`))).toEqual([true, true, true]);

    const outputs = [{ name: 'web' }, { name: 'poster', format: 'png' }];
    const body = { ...sessionBody(old.styleVersion), outputs };
    const { id } = (await api('POST', SESSIONS, { body })).body.render_session as RenderSession;
    const before = (await untilEnded(api, id)) as RenderSession;
    expect(urlsOf(before).length).toBeGreaterThanOrEqual(5);
    for (const url of urlsOf(before)) expect(url).toMatch(`${oldUrl}/`);
    const pending = async (from: Api, endpoint: string) =>
      (await from('GET', `${HOOKS}/${endpoint}/deliveries?limit=100`)).body.deliveries as { id: string }[];
    await vi.waitUntil(() => receiver.arrived.some(({ text }) => text.includes(oldUrl)), { timeout: 20_000 });
    await old.server.close();

    const kept = { url: address.url, directory: old.dataDirectory };
    if (isOlder) await asOlderVersion(kept, oldUrl);
    const moved: RunningService = await startService(kept, { ...settings, publicUrl: newUrl });
    const { api: now } = await moved.client();

    // Nothing of an answer names the old address, and every file is there.
    const { next_cursor, render_sessions: listed } = (await now('GET', SESSIONS)).body;
    expect(next_cursor).toBeNull();
    const after = (await now('GET', `${SESSIONS}/${id}`)).body.render_session as RenderSession;
    const ofVideo = (await now('GET', `/v3/videos/${id}`)).body as RenderSession;
    const { download_url: _, ...unsigned } = after;
    expect(listed).toHaveLength(4);
    expect(ofVideo).toEqual(after);
    expect(listed.find((one: RenderSession) => one.id === id)).toEqual(after);
    expect(await firstEvent(now, id)).toEqual(after);
    for (const session of listed as RenderSession[]) {
      expect(JSON.stringify(session)).not.toContain(oldUrl);
      for (const url of urlsOf(session)) {
        expect(url).toMatch(`${newUrl}/`);
        expect((await fetch(url)).status).toBe(200);
      }
    }

    // Webhook events of the time before are sent with the new address.
    receiver.answer = { status: 204 };
    receiver.arrived.length = 0;
    for (const endpoint of [hook, videoHook]) {
      for (const one of await pending(now, endpoint))
        await now('POST', `${HOOKS}/${endpoint}/deliveries/${one.id}/redeliver`);
    }
    const messages = () => receiver.arrived.map(({ text }) => JSON.parse(text));
    const ofSession = () =>
      messages().find(({ data }) => data?.render_session?.id === id && data.render_session.terminal);
    const ofFinish = () => messages().find(({ video_id, event }) => video_id === id && event === 'finish');
    await vi.waitUntil(() => ofSession() !== undefined && ofFinish() !== undefined, { timeout: 20_000 });
    expect(ofSession().data.render_session).toEqual(unsigned);
    expect(ofFinish().output_url).toBe(after.video_url);
    expect(receiver.arrived.map(({ text }) => text).join('\n')).not.toContain(oldUrl);

    // The lockfile moves with the service, without a note about URLs, and nothing is rendered again.
    const { exitCode, stdout, stderr } = await run('lock', 'service', oldUrl, newUrl);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(`✓ 3 videos moved from ${oldUrl} to ${newUrl}`);
    expect(stdout).not.toContain('still names URLs');
    configure(newUrl);
    expect(await run('plan')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('No changes') });
    for (const { service, video_url, thumbnails = [] } of entries()) {
      expect(service).toBe(newUrl);
      for (const url of [video_url, ...thumbnails]) {
        expect(url).toMatch(`${newUrl}/`);
        expect((await fetch(url)).status).toBe(200);
      }
    }
    expect((await now('GET', SESSIONS)).body.render_sessions).toHaveLength(4);
  });
});
