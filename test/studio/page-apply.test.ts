import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acquireProcessLock } from '../../src/kernel/process-lock.ts';
import type { PlanSummary, PreviewState, RunState, VideoDetail } from '../../src/studio/protocol.ts';
import { PreviewClient } from '../support/preview-client.ts';
import { definition, makeRepository } from '../support/repository.ts';
import { reelform } from '../support/test-io.ts';

let root: string;
let page: PreviewClient;

beforeAll(async () => {
  root = makeRepository();
  page = await PreviewClient.start(root);
  await page.listen();
});

afterAll(async () => {
  expect(await page.close()).toBe(0);
});

function isEnded({ run }: PreviewState): boolean {
  return run?.status === 'done' || run?.status === 'failed';
}

async function apply(): Promise<PreviewState> {
  const { plan } = await page.state();
  expect((await page.post('/api/apply', { plan: plan!.id })).json).toMatchObject({
    status: 'starting',
  } satisfies Partial<RunState>);
  return page.until(isEnded);
}

describe('two pages', () => {
  it('agree on what one of them edits, and on the run', async () => {
    const secondClient = await PreviewClient.open(page.url);
    await secondClient.listen();
    const changes = [{ path: ['title'], value: 'The north' }];
    const { undo } = (await page.post('/api/edit', { id: 'oslo', changes })).json as { undo: string };
    const seen = await secondClient.until(({ videos }) => videos.some(({ title }) => title === 'The north'));
    const content = ({ videos }: PreviewState) => videos.map(({ id, title, fingerprint }) => [id, title, fingerprint]);
    expect(content(seen)).toEqual(content(await page.state()));
    expect((await secondClient.post('/api/undo', { undo })).status).toBe(200);
    await page.until(({ videos }) => videos.some(({ title }) => title === 'Oslo'));
    await secondClient.close();
  });
});

describe('an apply of the page', () => {
  it('refuses another plan than the one that was confirmed', async () => {
    expect((await page.post('/api/apply', { plan: 'sha256:0' })).status).toBe(200);
    const { run, videos } = await page.until(isEnded);
    expect(run).toMatchObject({ status: 'failed', messages: [{ code: 'plan_stale' }] });
    expect(videos.every(({ state }) => state === 'new')).toBe(true);
    expect(existsSync(join(root, 'reelform.lock.json'))).toBe(false);
  });

  it('is refused while an apply of another process runs, which the page shows', async () => {
    const release = await acquireProcessLock(join(root, '.reelform/apply.pid'), () => new Error('held'));
    try {
      const { run } = await apply();
      expect(run).toMatchObject({ status: 'failed', messages: [{ code: 'already_running' }] });
    } finally {
      await release();
    }
  });

  it('reports progress, records the videos and ends with files that can be played', async () => {
    const summary = await page.json<PlanSummary>('/api/plan');
    expect(summary).toMatchObject({ renders: 3, segments: { total: 3 } });
    const report = await page.get('/api/plan.html');
    expect(report.bytes.toString()).toContain('Berlin');
    expect(report.headers['content-security-policy']).toContain('sandbox');
    const { run, videos, plan } = await apply();
    expect(run).toEqual({ status: 'done', total: 3, done: 3, failed: 0, messages: [] });
    expect(videos.map(({ state }) => state)).toEqual(['up_to_date', 'up_to_date', 'up_to_date']);
    expect(plan).toMatchObject({ renders: 0, counts: { noop: 3 } });
    const runs = page.events.flatMap(({ name, data }) =>
      name === 'run' && data.kind === 'run' ? [data.run.status] : [],
    );
    expect(runs).toEqual(expect.arrayContaining(['starting', 'running', 'done']));
    const finished = await page.get(`/${videos[0]!.finished!.url}`);
    expect(finished).toMatchObject({ status: 200, headers: { 'content-type': 'video/mp4', 'accept-ranges': 'bytes' } });
    const lock = JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8')) as {
      videos: Record<string, { video_url: string }>;
    };
    expect(finished.bytes.equals(readFileSync(join(root, lock.videos.berlin!.video_url)))).toBe(true);
    const { segments } = await page.json<VideoDetail>('/api/video?id=berlin');
    expect(segments).toEqual([{ first: 0, end: 10, isCached: true }]);
  });

  it('agrees with an apply in a terminal, and draws what a changed video was', async () => {
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma'));
    const { videos } = await page.until(({ videos }) => videos.some(({ action }) => action === 'update'));
    const rome = videos.find(({ id }) => id === 'rome')!;
    expect(rome).toMatchObject({ state: 'changed', action: 'update', reason: 'input_changed' });
    const { inputs, fields } = await page.json<VideoDetail>('/api/video?id=rome');
    expect(inputs).toEqual([{ key: 't_01', label: 'Headline', kind: 'text', before: 'Rome', after: 'Roma' }]);
    expect(fields).toEqual([{ field: 'title', before: 'Rome', after: 'Roma' }]);
    expect((await page.get(`/api/still/${encodeURIComponent(rome.beforeFingerprint!)}/5.jpeg`)).status).toBe(200);
    expect((await reelform(root, ['apply', '--auto-approve'])).exitCode).toBe(0);
    await page.until(({ videos: now }) => now.every(({ state }) => state === 'up_to_date'));
  });

  it('counts failed videos apart, and names the editable; the form and the server stay usable', async () => {
    const photo = join(root, 'videos/images/photo.png');
    const bytes = readFileSync(photo);
    writeFileSync(photo, 'no image');
    await page.until(({ videos }) => videos.filter(({ action }) => action === 'update').length === 2);
    const { run, videos } = await apply();
    expect(run).toMatchObject({ status: 'failed', total: 2, done: 0, failed: 2 });
    const { failures, fingerprint } = videos[0]!;
    expect(failures).toMatchObject([{ code: 'asset_type_unsupported' }]);
    expect(failures[0]!.message).toMatch(/^\(Footage\)\/USER\/photo\.png \(videos\/images\/photo\.png\): /);
    const { form, segments } = await page.json<VideoDetail>('/api/video?id=berlin');
    expect(form).toHaveLength(3);
    expect(segments).toEqual([{ first: 0, end: 10, isCached: false }]);
    const still = await page.get(`/api/still/${fingerprint}/5.jpeg`);
    expect(still).toMatchObject({ status: 422, json: { code: 'asset_type_unsupported' } });
    expect(page.stderr).toBe('');
    writeFileSync(photo, bytes);
    await page.until(({ videos: now }) => now.every(({ state }) => state === 'up_to_date'));
  });
});
