import { existsSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { type JournalRecord, journalText } from '../../../src/reconciler/lock/journal.ts';
import type { LockEntry } from '../../../src/reconciler/lock/lock.ts';
import type { RenderPool, RenderPoolOptions } from '../../../src/service/sessions/processes/render-pool.ts';
import { keptRenderPool } from '../../support/kept-render-pools.ts';
import { CONFIG, definition, makeRepository } from '../../support/repository.ts';
import { solidPng } from '../../support/small-package.ts';
import { reelform } from '../../support/test-io.ts';

const EVENTS_SCHEMA = JSON.parse(
  readFileSync(new URL('../../../schemas/reelform-events.schema.json', import.meta.url), 'utf8'),
);

interface LockJson {
  readonly videos: Readonly<Record<string, LockEntry>>;
}

function lockText(root: string): string {
  return readFileSync(join(root, 'reelform.lock.json'), 'utf8');
}

function lockOf(root: string): LockJson {
  return JSON.parse(lockText(root)) as LockJson;
}

async function applied(root: string): Promise<string> {
  const { exitCode, stdout, stderr } = await reelform(root, ['apply', '--auto-approve']);
  if (exitCode !== 0) throw new Error(stderr);
  return stdout;
}

async function journalCheck(root: string): Promise<unknown> {
  const { stdout } = await reelform(root, ['doctor', '--json']);
  const { checks } = JSON.parse(stdout) as { checks: { name: string; message: string }[] };
  return checks.find(({ name }) => name === 'Journal')?.message;
}

async function changes(root: string, ...flags: string[]): Promise<unknown[]> {
  const { stdout } = await reelform(root, ['plan', '--json', ...flags]);
  return (JSON.parse(stdout) as { changes: unknown[] }).changes;
}

describe('reelform apply', () => {
  it('renders everything once, then nothing', async () => {
    const root = makeRepository();
    expect(await applied(root)).toMatch(/^Done: 3 rendered in [\d.:]+ (?:s|min)\.\n$/);
    const lock = lockText(root);
    for (const entry of Object.values(lockOf(root).videos)) {
      expect(readFileSync(join(root, entry.video_url)).subarray(4, 8).toString()).toBe('ftyp');
      expect(entry.thumbnails.map((path) => readFileSync(join(root, path)).readUInt16BE(0))).toEqual([0xffd8]);
    }
    const second = await reelform(root, ['apply', '--auto-approve']);
    expect(second).toMatchObject({ exitCode: 0, stdout: '' });
    expect(second.stderr).toContain('No changes');
    expect(lockText(root)).toBe(lock);
    expect(existsSync(join(root, '.reelform/apply.pid'))).toBe(false);
  });

  it('reports a missing folder as an event too', async () => {
    const { exitCode, stdout } = await reelform(makeRepository(), ['apply', '--json', '-C', 'missing']);
    const [, outcome] = stdout.trim().split('\n');
    expect(exitCode).toBe(1);
    expect(JSON.parse(outcome!)).toMatchObject({ type: 'outcome', diagnostics: [{ code: 'config_missing' }] });
  });

  it('starts processes before it renders, for as many tasks as there are changes, and none without a change', async () => {
    const root = makeRepository();
    const calls: string[] = [];
    const createRenderPool = (options: RenderPoolOptions): RenderPool => {
      const pool = keptRenderPool(options);
      calls.push('open');
      return {
        ...pool,
        warm: (tasks) => void calls.push(`warm ${tasks}`),
        run(kind, ...task) {
          calls.push(kind);
          return pool.run(kind, ...task);
        },
      };
    };
    const apply = () => reelform(root, ['apply', '--auto-approve'], { createRenderPool });
    expect(await apply()).toMatchObject({ exitCode: 0 });
    expect(calls.slice(0, 3)).toEqual(['open', 'warm Infinity', 'segments']);
    calls.length = 0;
    expect(await apply()).toMatchObject({ exitCode: 0, stdout: '' });
    expect(calls).toEqual([]);
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma'));
    expect(await apply()).toMatchObject({ exitCode: 0 });
    expect(calls.slice(0, 3)).toEqual(['open', 'warm 1', 'segments']);
    expect(calls.filter((call) => call === 'open')).toEqual(['open']);
    // The plan cache knows the files, so the first process starts before they are read.
    expect(await reelform(root, ['plan'])).toMatchObject({ exitCode: 0 });
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Rom'));
    calls.length = 0;
    expect(await apply()).toMatchObject({ exitCode: 0 });
    expect(calls.slice(0, 4)).toEqual(['open', 'warm 1', 'warm 1', 'segments']);
    expect(await reelform(root, ['plan'])).toMatchObject({ exitCode: 0 });
    utimesSync(join(root, 'videos/rome.yaml'), new Date(), new Date());
    calls.length = 0;
    expect(await apply()).toMatchObject({ exitCode: 0, stdout: '' });
    expect(calls).toEqual([]);
  });

  it('measures the run with a monotonic clock', async () => {
    let date = Date.parse('2026-01-01T00:00:00Z');
    let elapsed = 0;
    const { stdout } = await reelform(makeRepository(), ['apply', '--auto-approve', '--target', 'rome'], {
      now: () => (date -= 3_600_000),
      monotonicNow: () => (elapsed += 1),
    });
    expect(stdout).toMatch(/^Done: 1 rendered in [0-3](\.\d)? s\.\n$/);
  });

  it('renders only the edited video and keeps the other entries', async () => {
    const root = makeRepository();
    await applied(root);
    const before = lockOf(root);
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma'));
    expect(await changes(root)).toMatchObject([
      {
        id: 'rome',
        action: 'update',
        reason: 'input_changed',
        inputs: [{ key: 't_01', before: 'Rome', after: 'Roma' }],
      },
    ]);
    expect(await applied(root)).toContain('1 rendered');
    const after = lockOf(root);
    expect(after.videos.rome?.fingerprint).not.toBe(before.videos.rome?.fingerprint);
    expect({ ...after.videos, rome: null }).toEqual({ ...before.videos, rome: null });
  });

  it('renders the videos that use a changed image', async () => {
    const root = makeRepository();
    await applied(root);
    writeFileSync(join(root, 'videos/images/photo.png'), solidPng('#0000ff'));
    expect(await changes(root)).toMatchObject([
      { id: 'berlin', reason: 'asset_changed' },
      { id: 'oslo', reason: 'asset_changed' },
    ]);
  });

  it('moves without rendering', async () => {
    const root = makeRepository();
    await applied(root);
    renameSync(join(root, 'videos/rome.yaml'), join(root, 'videos/roma.yaml'));
    expect(await changes(root)).toMatchObject([{ id: 'roma', previous_id: 'rome', action: 'move' }]);
    expect(await applied(root)).toContain('0 rendered, 1 recorded');
    expect(await changes(root)).toEqual([]);
  });

  it('restores a missing file byte for byte and keeps the lockfile unchanged', async () => {
    const root = makeRepository();
    await applied(root);
    const lock = lockText(root);
    const path = join(root, lockOf(root).videos.rome!.video_url);
    const bytes = readFileSync(path);
    rmSync(path);
    expect(await changes(root, '--ignore-missing-outputs')).toEqual([]);
    expect(await changes(root)).toMatchObject([{ id: 'rome', action: 'restore', reason: 'output_missing' }]);
    expect(await applied(root)).toContain('1 rendered');
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(lockText(root)).toBe(lock);
  });

  it('renders with --replace after a restore, which leaves nothing in the journal', async () => {
    const root = makeRepository();
    await applied(root);
    rmSync(join(root, 'renders'), { recursive: true });
    expect(await applied(root)).toContain('3 rendered');
    expect(await journalCheck(root)).toBe('no pending renders');
    const before = lockOf(root);
    expect(await changes(root, '--replace', 'rome')).toMatchObject([{ action: 'update', reason: 'requested' }]);
    const replaced = await reelform(root, ['apply', '--auto-approve', '--replace', 'rome']);
    expect(replaced.stdout).toContain('1 rendered');
    expect(lockOf(root).videos.rome?.session).not.toBe(before.videos.rome?.session);
    expect(await journalCheck(root)).toBe('no pending renders');
  });

  it('renders with --replace despite restores in the journal of an earlier version', async () => {
    const root = makeRepository();
    await applied(root);
    const lines = Object.entries(lockOf(root).videos).flatMap(([id, entry]): JournalRecord[] => {
      const { fingerprint, service, style_version, video_url, thumbnails } = entry;
      const at = new Date(Date.parse(entry.rendered_at) + 60_000).toISOString();
      const rendering = { session: `rs_restored-${id}`, video_url, thumbnails, rendered_at: at };
      const intent = { key: id, id, fingerprint, service, style_version, output_name: id, body: '', run: 'r', at };
      return [
        { type: 'intent', ...intent },
        { type: 'rendered', key: id, rendering, at },
      ];
    });
    const journal = join(root, '.reelform/journal.ndjson');
    writeFileSync(journal, journalText(lines));
    expect(await journalCheck(root)).toBe('no pending renders');
    expect((await reelform(root, ['explain', 'rome', '--json'])).stdout).not.toContain('rs_restored');
    expect(await changes(root)).toEqual([]);
    const replaced = await reelform(root, ['apply', '--auto-approve', '--replace', 'rome']);
    expect(replaced.stdout).toContain('1 rendered');
    expect(readFileSync(journal, 'utf8')).not.toContain('rs_restored');
  });

  it('forgets a video without a definition but keeps its file', async () => {
    const root = makeRepository();
    await applied(root);
    const url = lockOf(root).videos.rome!.video_url;
    rmSync(join(root, 'videos/rome.yaml'));
    await applied(root);
    expect(Object.keys(lockOf(root).videos)).toEqual(['berlin', 'oslo']);
    expect(existsSync(join(root, url))).toBe(true);
  });

  it('removes files of earlier renderings and forgotten videos with --prune', async () => {
    const root = makeRepository();
    await applied(root);
    const files = (): string[] => readdirSync(join(root, 'renders')).sort();
    const before = files();
    const prune = async (...flags: string[]): Promise<string> =>
      (await reelform(root, ['apply', '--auto-approve', '--prune', ...flags])).stderr;
    expect(await prune()).not.toContain('Removed');
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma'));
    rmSync(join(root, 'videos/oslo.yaml'));
    // Videos that were not selected are still in the lockfile.
    await prune('--target', 'rome');
    expect(files().filter((name) => !name.startsWith('rome'))).toEqual(before.filter((name) => !/^rome/.test(name)));
    expect(await prune()).toMatch(/Removed \d+ files of earlier renderings/);
    const { videos } = lockOf(root);
    const named = Object.values(videos).flatMap(({ video_url, thumbnails }) => [video_url, ...thumbnails]);
    expect(files()).toEqual(named.map((path) => path.replace('renders/', '')).sort());
    expect(Object.keys(videos)).toEqual(['berlin', 'rome']);
  });

  it('exits with 5 instead of forgetting all videos, unless allowed', async () => {
    const root = makeRepository({ 'reelform.yaml': `${CONFIG}videos: videos/*.yaml\n` });
    await applied(root);
    writeFileSync(join(root, 'reelform.yaml'), `${CONFIG}videos: video/*.yaml\n`);
    const { exitCode, stderr } = await reelform(root, ['apply', '--auto-approve']);
    expect(exitCode).toBe(5);
    expect(stderr).toContain('all_videos_gone');
    expect(Object.keys(lockOf(root).videos)).toHaveLength(3);
    expect(await reelform(root, ['apply', '--auto-approve', '--allow-empty'])).toMatchObject({ exitCode: 0 });
    expect(lockOf(root).videos).toEqual({});
  });

  it('keeps entries that another process writes to the lockfile during the run', async () => {
    const root = makeRepository();
    let added = false;
    const { exitCode } = await reelform(root, ['apply', '--auto-approve', '--concurrency', '1'], {
      onStderr(text) {
        if (added || !text.includes('✓ berlin')) return;
        added = true;
        const lock = lockOf(root);
        const videos = { ...lock.videos, pulled: lock.videos.berlin };
        writeFileSync(join(root, 'reelform.lock.json'), JSON.stringify({ ...lock, videos }));
      },
    });
    expect(exitCode).toBe(0);
    expect(Object.keys(lockOf(root).videos)).toEqual(['berlin', 'oslo', 'pulled', 'rome']);
  });

  it.each(['.reelform', 'renders'])('explains that %s is a file', async (name) => {
    const root = makeRepository({ [name]: 'a file' });
    const { exitCode, stderr } = await reelform(root, ['apply', '--auto-approve']);
    expect(exitCode).toBe(name === 'renders' ? 4 : 1);
    expect(stderr).toMatch(name === 'renders' ? /write_failed/ : /file_system/);
    expect(stderr).not.toContain('Internal error');
  });

  it('exits with 5 instead of forgetting a protected video', async () => {
    const root = makeRepository({ 'videos/rome.yaml': `${definition('Rome')}protect: true\n` });
    await applied(root);
    rmSync(join(root, 'videos/rome.yaml'));
    const { exitCode, stderr } = await reelform(root, ['apply', '--auto-approve']);
    expect(exitCode).toBe(5);
    expect(stderr).toContain('protected_video');
    expect(Object.keys(lockOf(root).videos)).toContain('rome');
  });

  it('renders nothing if any definition is invalid', async () => {
    const root = makeRepository({ 'videos/rome.yaml': definition('Rome').replace('#EEADA7', '#nonsense') });
    const { exitCode, stdout, stderr } = await reelform(root, ['apply', '--auto-approve']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/videos\/rome\.yaml:5:\d+/);
    expect(stderr).toContain('invalid_color');
    expect(existsSync(join(root, 'renders'))).toBe(false);
    expect(existsSync(join(root, 'reelform.lock.json'))).toBe(false);
  });

  it('reports file, line and path of a missing image', async () => {
    const root = makeRepository();
    rmSync(join(root, 'videos/images/photo.png'));
    const { exitCode, stderr } = await reelform(root, ['apply', '--auto-approve']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/videos\/berlin\.yaml:6:\d+/);
    expect(stderr).toContain('videos/images/photo.png');
  });

  it('limits a failed render to its video and exits with 4', async () => {
    const root = makeRepository({ 'videos/images/photo.png': 'not an image' });
    const { exitCode, stdout, stderr } = await reelform(root, ['apply', '--auto-approve']);
    expect(exitCode).toBe(4);
    expect(stdout).toContain('1 rendered, 2 failed');
    expect(stderr).toContain('asset_type_unsupported');
    expect(stderr).toContain('(Footage)/USER/photo.png');
    expect(Object.keys(lockOf(root).videos)).toEqual(['rome']);
  });

  it('asks before it renders and accepts only yes', async () => {
    const root = makeRepository();
    const refused = await reelform(root, ['apply'], { interactive: true, answer: 'y' });
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('not_approved');
    expect(existsSync(join(root, 'renders'))).toBe(false);
    expect(await reelform(root, ['apply'], { interactive: true, answer: 'yes' })).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ['Ctrl-C', '\x03'],
    ['Ctrl-D', '\x04'],
  ])('exits with 8 at %s instead of an approval, without rendering', async (_, keys) => {
    const root = makeRepository();
    const left = await reelform(root, ['apply', '--json'], { interactive: true, keysFor: () => keys });
    expect(left).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('error interrupted: ') });
    expect(left.stdout).toContain('"type":"outcome"');
    expect(existsSync(join(root, 'renders'))).toBe(false);
    expect(existsSync(join(root, '.reelform/apply.pid'))).toBe(false);
    expect(await reelform(root, ['apply'], { interactive: true, keysFor: () => 'yes\r' })).toMatchObject({
      exitCode: 0,
    });
  });

  it('does nothing without approval if it cannot ask', async () => {
    const { exitCode, stderr } = await reelform(makeRepository(), ['apply']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('--auto-approve');
  });

  it('refuses a second apply', async () => {
    const root = makeRepository({ '.reelform/apply.pid': `${process.ppid}` });
    const { exitCode, stderr } = await reelform(root, ['apply', '--auto-approve']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('already_running');
  });

  it('removes temporary files of killed commands but not of running ones', async () => {
    const uuid = '0123abcd-0000-4000-8000-000000000000';
    const left = ['', '.reelform/', 'schemas/', 'renders/a/'].map((folder) => `${folder}.unfinished-${uuid}`);
    left.push(`.reelform/apply.pid.${uuid}`, `.reelform/plan-${uuid}`);
    const young = left.map((path) => path.replace('0123', 'fedc'));
    const root = makeRepository(Object.fromEntries([...left, ...young].map((path) => [path, 'half'])));
    const past = Date.now() / 1000 - 3_600;
    for (const path of left) utimesSync(join(root, path), past, past);
    await reelform(root, ['apply', '--auto-approve', '--target', 'rome'], { now: Date.now });
    expect(left.filter((path) => existsSync(join(root, path)))).toEqual([]);
    expect(young.filter((path) => existsSync(join(root, path)))).toEqual(young);
  });

  it('completes and records the running video on the first Ctrl-C, and exits with 8', async () => {
    const root = makeRepository();
    let interrupted = false;
    const { exitCode, stdout, stderr } = await reelform(
      root,
      ['apply', '--auto-approve', '--concurrency', '1', '--json'],
      {
        onStdout(text, interrupt) {
          if (interrupted || !/video_progressed.*"berlin"/.test(text)) return;
          interrupted = true;
          interrupt();
        },
      },
    );
    expect(exitCode).toBe(8);
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1)!)).toMatchObject({
      rendered: 1,
      skipped: ['oslo', 'rome'],
      ended_by: 'interrupted',
    });
    expect(stderr).toContain('Stopping: no new renders are started; the running video');
    expect(Object.keys(lockOf(root).videos)).toEqual(['berlin']);
    expect(await applied(root)).toContain('2 rendered');
  });

  it('prints a line per event with --json, valid against the published schema, the outcome last', async () => {
    const isEvent = new Ajv({ strict: false }).compile(EVENTS_SCHEMA);
    const { stdout } = await reelform(makeRepository(), ['apply', '--auto-approve', '--json']);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const event of events) expect(isEvent(event), JSON.stringify([event, isEvent.errors])).toBe(true);
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 3)).toEqual(['version', 'planned', 'run_started']);
    expect(types.filter((type) => type === 'video_rendered')).toHaveLength(3);
    expect(events.at(-1)).toMatchObject({
      type: 'outcome',
      rendered: 3,
      failed: [],
      unknown: [],
      in_progress: [],
      ended_by: null,
      diagnostics: [{ code: 'schema_outdated' }],
    });
  });

  it('prints the outcome with --json even if planning fails', async () => {
    const root = makeRepository({ 'videos/rome.yaml': 'template: none\n' });
    const { stdout, exitCode } = await reelform(root, ['apply', '--auto-approve', '--json']);
    const types = stdout.trimEnd().split('\n');
    expect(exitCode).toBe(1);
    expect(types.map((line) => JSON.parse(line).type)).toEqual(['version', 'outcome']);
  });

  it('works from a subfolder, and in the folder of -C', async () => {
    const root = makeRepository();
    expect((await reelform(join(root, 'videos'), ['apply', '--auto-approve'])).exitCode).toBe(0);
    expect(await reelform('/', ['-C', root, 'plan'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('No changes'),
    });
  });
});
