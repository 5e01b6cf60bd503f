import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BufferSource, Input, MP4 } from 'mediabunny';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readPreview } from '../../../src/report/preview/read-preview.ts';
import { cloneOf, type GitRepository, gitIn, newRemote } from '../../support/git-repository.ts';
import { CONFIG, definition, makeRepository } from '../../support/repository.ts';
import { type S3Server, startS3Server } from '../../support/s3-server.ts';
import { solidPng } from '../../support/small-package.ts';
import { writeFiles } from '../../support/temporary-repository.ts';
import { reelform, type TestIoOptions } from '../../support/test-io.ts';

let bucket: S3Server;
beforeAll(async () => {
  bucket = await startS3Server();
});
afterAll(() => bucket.close());

const PALE = definition('Rome').replace('EEADA7', 'EEADA8');
const DARK = definition('Berlin').replace('EEADA7', '202040');

/** Creates a repository with a branch off main and a remote that has main. */
async function branched(): Promise<GitRepository> {
  const remote = await newRemote();
  const repository = gitIn(makeRepository({ '.gitignore': '.reelform/\nlooks/\n' }));
  const { git } = repository;
  await git('init', '--quiet', '--initial-branch=main');
  await git('remote', 'add', 'origin', `file://${remote.root}`);
  await repository.commit({});
  await git('push', '--quiet', '-u', 'origin', 'main');
  await git('checkout', '--quiet', '-b', 'change');
  return repository;
}

/** Reads a file as a player would. */
async function readDraft(bytes: Uint8Array) {
  using input = new Input({ source: new BufferSource(bytes), formats: [MP4] });
  const track = (await input.getPrimaryVideoTrack())!;
  const { packetCount: frames } = await track.computePacketStats();
  const size = [await track.getDisplayWidth(), await track.getDisplayHeight()];
  return { codec: await track.getCodec(), size, seconds: await input.computeDuration(), frames };
}

async function look(root: string, flags: readonly string[] = [], options: TestIoOptions = {}) {
  const args = ['plan', '--json', '--preview', 'stills', '--preview-dir', 'looks', ...flags];
  const { exitCode, stdout, stderr } = await reelform(root, args, { now: Date.now, ...options });
  if (exitCode !== 0) throw new Error(stderr + stdout);
  return { ...JSON.parse(stdout), stderr } as {
    preview: { videos: { id: string; visible: boolean | null; changed_share: number | null }[]; left_out: unknown[] };
    diagnostics: { code: string; message: string; hint: string }[];
  };
}

describe('reelform plan --preview', () => {
  it('compares with the merge base, reports invisible changes, and pushes pictures to a branch', async () => {
    const { root, commit, git } = await branched();
    await commit({ 'videos/berlin.yaml': DARK, 'videos/rome.yaml': PALE });
    // Of its own: other test files check out commits at the same time.
    const temporary = mkdtempSync(join(tmpdir(), 'rf-'));
    vi.stubEnv('TMPDIR', temporary);
    const env = { GITHUB_REPOSITORY: 'acme/videos' };
    const { preview } = await look(root, ['--preview-host', 'branch:looks'], { env }).finally(() => vi.unstubAllEnvs());
    expect(readdirSync(temporary).filter((name) => name.startsWith('reelform-base-'))).toEqual([]);
    expect(preview.videos).toEqual([
      { id: 'berlin', visible: true, unseen: [], changed_share: expect.any(Number) },
      // Planned, but identical to its version on main.
      { id: 'oslo', visible: null, unseen: [], changed_share: null },
      { id: 'rome', visible: false, unseen: [], changed_share: 0 },
    ]);
    const urlsBelow = ['https://github.com/acme/videos/blob/looks/'];
    const { videos } = await readPreview(join(root, 'looks'), { urlsBelow });
    const [still] = videos.get('berlin')!.stills;
    expect(still!.after.url).toMatch(
      /^https:\/\/github\.com\/acme\/videos\/blob\/looks\/\d{4}-\d\d-\d\d\/[0-9a-f]{64}\.jpg\?raw=true$/,
    );
    await git('fetch', '--quiet', 'origin', 'looks');
    const path = still!.after.url!.slice(urlsBelow[0]!.length).replace('?raw=true', '');
    expect(await git('ls-tree', '-r', '--name-only', 'FETCH_HEAD')).toContain(path);
  });

  it('renders drafts of both sides as complete MP4 files of the template’s length, which the page plays', async () => {
    const { root } = await branched();
    writeFiles(root, { 'videos/berlin.yaml': DARK, 'videos/new.yaml': definition('New') });
    const args = ['plan', '--format', 'html', '--preview', 'draft', '--preview-dir', 'looks', '--base', 'main'];
    const { stdout, exitCode } = await reelform(root, [...args, '--target', 'berlin', '--target', 'new'], {
      now: Date.now,
    });
    expect(exitCode).toBe(0);
    const { videos } = await readPreview(join(root, 'looks'));
    const { before, after } = videos.get('berlin')!.drafts!;
    expect(videos.get('new')!.drafts!.before).toBeNull();
    const files = [before!, after, videos.get('new')!.drafts!.after];
    const shown = [
      ...stdout.matchAll(
        /<video src="data:video\/mp4;base64,([^"]*)" poster="data:image\/jpeg;base64,[^"]+" controls muted playsinline preload="none"/g,
      ),
    ];
    expect(shown.map(([, base64]) => Buffer.from(base64!, 'base64'))).toEqual(files.map((bytes) => Buffer.from(bytes)));
    expect(stdout).toContain('data-play="Play both drafts"');
    for (const bytes of files) {
      const { codec, size, seconds, frames } = await readDraft(bytes);
      expect({ codec, size, frames }).toEqual({ codec: 'avc', size: [64, 36], frames: 10 });
      expect(seconds).toBeCloseTo(1, 3);
    }
    expect(Buffer.compare(before!, after)).not.toBe(0);
  });

  it('puts the upgrade of a template on one contact sheet, and uploads pictures to a bucket', async () => {
    const { root } = await branched();
    const credential = [
      `credentials: {main: {kind: s3, endpoint: "${bucket.url}", region: us-east-1, path_style: true,`,
      '  access_key_id_env: AWS_ACCESS_KEY_ID, secret_access_key_env: AWS_SECRET_ACCESS_KEY,',
      '  allow: ["s3://videos/"], public_url: https://cdn.example.com/}}\n',
    ];
    writeFiles(root, {
      'reelform.yaml': `${CONFIG}${credential.join('\n')}`,
      'videos/oslo.yaml': definition('Oslo'),
      'templates/small/images/photo.png': solidPng('#0000ff'),
    });
    const host = ['--base', 'main', '--preview-host', 's3://videos/looks', '--target', '[or]*'];
    await look(root, host, { env: bucket.env });
    const { contactSheet } = await readPreview(join(root, 'looks'), { urlsBelow: ['https://cdn.example.com/looks/'] });
    const key = contactSheet!.url!.slice('https://cdn.example.com/'.length);
    expect(await bucket.read('videos', key)).toEqual(Buffer.from(contactSheet!.bytes));
  });

  it('compares with the lockfile only if the history is missing, and suggests a fix', async () => {
    const { commit, git } = await branched();
    await commit({ 'videos/rome.yaml': definition('Roma') });
    await git('push', '--quiet', 'origin', 'change');
    const remote = gitIn((await git('remote', 'get-url', 'origin')).slice('file://'.length));
    const shallow = await cloneOf(remote, '--depth=1', '--branch=change');
    const { diagnostics, preview } = await look(shallow.root, ['--target', 'rome'], {
      env: { GITHUB_BASE_REF: 'main' },
    });
    expect(diagnostics.find(({ code }) => code === 'preview_base_missing')).toMatchObject({
      severity: 'warning',
      hint: expect.stringContaining('fetch-depth: 0'),
    });
    expect(preview.videos).toMatchObject([{ id: 'rome', visible: null }]);
  });

  it('still prints the plan if the earlier files cannot be checked out', async () => {
    const { root, commit, git } = await branched();
    await commit({ 'videos/rome.yaml': definition('Roma') });
    const blob = await git('rev-parse', 'main:reelform.yaml');
    rmSync(join(root, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    const { diagnostics, preview } = await look(root, ['--base', 'main', '--target', 'rome']);
    expect(diagnostics.map(({ code }) => code)).toContain('preview_base_missing');
    expect(preview.videos).toHaveLength(1);
  });

  it('refuses conflicting options and an unusable host', async () => {
    const root = makeRepository();
    const alone = await reelform(root, ['plan', '--preview-dir', 'looks']);
    expect(alone.exitCode).toBe(1);
    expect(alone.stderr).toContain('options_conflict');
    for (const place of ['branch:-x', 's3://videos/looks', 'file:looks', 'nowhere']) {
      const { exitCode, stderr } = await reelform(root, ['plan', '--preview', 'stills', '--preview-host', place]);
      expect(exitCode).toBe(1);
      expect(stderr).toContain('preview_invalid');
    }
  });
});
