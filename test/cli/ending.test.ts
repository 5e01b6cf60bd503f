import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gitIn } from '../support/git-repository.ts';
import {
  type InterfaceService,
  type InterfaceServiceOptions,
  startInterfaceService,
} from '../support/interface-service.ts';
import { definition, makeRepository } from '../support/repository.ts';
import { smallAnimation, smallPackage } from '../support/small-package.ts';
import { type Ran, reelform, type TestIoOptions } from '../support/test-io.ts';

const POST = 'POST /v2/render_sessions';
const APPLY = ['apply', '--auto-approve'];
const IDS = ['berlin', 'oslo', 'rome'];

interface Outcome {
  readonly type: string;
  readonly rendered: number;
  readonly in_progress: readonly { readonly id: string; readonly session: string }[];
  readonly skipped: readonly string[];
  readonly ended_by: string | null;
}

interface Setup {
  readonly root: string;
  readonly service: InterfaceService;
  run(args: readonly string[], options?: TestIoOptions): Promise<Ran>;
  /** Runs with --json and returns the last line. */
  outcome(args: readonly string[], options?: TestIoOptions): Promise<Outcome & { readonly exitCode: number }>;
}

/**
 * Creates three videos at a service that implements only the interface document; `looks` sets the length of a render.
 */
async function setUp(options: InterfaceServiceOptions & { looks: number }): Promise<Setup> {
  const { spec } = smallPackage();
  const service = await startInterfaceService({ styleVersions: [{ ...spec, id: 'tsv_stranger' }], ...options });
  onTestFinished(() => service.close());
  const root = makeRepository({
    'reelform.yaml': `service: {url: "${service.url}"}\ntemplates: {small: tsv_stranger}\nconcurrency: 2\n`,
  });
  const photo = '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n';
  for (const id of IDS) writeFileSync(join(root, `videos/${id}.yaml`), definition(id, photo));
  const env = { REELFORM_TOKEN: service.token };
  const run = (args: readonly string[], ioOptions: TestIoOptions = {}): Promise<Ran> =>
    reelform(root, args, { ...ioOptions, env: { ...env, ...ioOptions.env } });
  await run(['pull']);
  return {
    root,
    service,
    run,
    async outcome(args, ioOptions) {
      const { exitCode, stdout } = await run([...args, '--json'], ioOptions);
      return { ...(JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as Outcome), exitCode };
    },
  };
}

/** Whether the service has accepted the first two videos. */
function areTwoAtWork(text: string): boolean {
  return text.split('rendering as').length === 3;
}

const FOREVER = { looks: Number.POSITIVE_INFINITY };

describe('reelform apply --timeout', () => {
  it('exits with 9, leaves running videos to the service, and resumes them next time', async () => {
    const { service, outcome } = await setUp(FOREVER);
    const late = await outcome([...APPLY, '--timeout', '60s']);
    expect(late).toMatchObject({ exitCode: 9, ended_by: 'deadline', skipped: ['rome'] });
    expect(late.in_progress.map(({ id }) => id)).toEqual(['berlin', 'oslo']);
    expect(service.count(POST)).toBe(2);
    service.finish();
    expect(await outcome(APPLY)).toMatchObject({ exitCode: 0, ended_by: null });
    expect(service.count(POST)).toBe(3);
  });

  it.each(['10', 's', '-1s', '0s', '1d', '481h'])('refuses %j', async (time) => {
    expect(await reelform('/', ['apply', `--timeout=${time}`])).toMatchObject({ exitCode: 1 });
  });
});

describe('an interrupted apply', () => {
  it('leaves running videos after a while if unattended, exits with 8, and resumes them', async () => {
    const { root, service, outcome, run } = await setUp(FOREVER);
    const left = await outcome(APPLY, {
      isLate: true,
      onStderr(text, interrupt) {
        if (areTwoAtWork(text) && !text.includes('Stopping')) interrupt();
      },
    });
    expect(left).toMatchObject({ exitCode: 8, ended_by: 'interrupted', rendered: 0, skipped: ['rome'] });
    expect(left.in_progress.map(({ id }) => id).sort()).toEqual(['berlin', 'oslo']);
    expect((await run(['plan', '--json'])).stdout).toContain('"action": "adopt"');
    expect(existsSync(join(root, 'reelform.lock.json'))).toBe(false);
    service.finish();
    expect(await outcome(APPLY)).toMatchObject({ exitCode: 0 });
    expect(service.count(POST)).toBe(3);
  });

  it('waits for running videos until then', async () => {
    const { service, outcome } = await setUp(FOREVER);
    const waiting = outcome(APPLY, {
      onStderr(text, interrupt) {
        if (!areTwoAtWork(text) || text.includes('Stopping')) return;
        interrupt();
        service.finish();
      },
    });
    expect(await waiting).toMatchObject({ exitCode: 8, rendered: 2, skipped: ['rome'], in_progress: [] });
  });

  it('aborts a local render if unattended, and renders it again later', async () => {
    const animation = JSON.stringify(smallAnimation()).replaceAll('"op":10', '"op":600');
    const root = makeRepository({ 'templates/small/animation.json': animation });
    const { exitCode, stdout } = await reelform(root, [...APPLY, '--concurrency', '1'], {
      isLate: true,
      onStderr(text, interrupt) {
        if (text.includes('begun') && !text.includes('Stopping')) interrupt();
      },
    });
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 8, stdout: expect.stringContaining('0 rendered') });
    expect((await reelform(root, [...APPLY, '--target', 'rome'])).exitCode).toBe(0);
  });

  it('exits at once on the second interruption and reports the current state', async () => {
    const { outcome, service } = await setUp(FOREVER);
    let left: number | null = null;
    let interruptions = 0;
    const ran = outcome(APPLY, {
      onLeave: (exitCode) => {
        left = exitCode;
        // The real process would have exited.
        service.finish();
      },
      onStderr(text, interrupt) {
        if (!areTwoAtWork(text) || interruptions === 2) return;
        interruptions += 1;
        // The first interrupt writes to stderr, which calls this function again.
        interrupt();
      },
    });
    const { in_progress, ...told } = await ran;
    expect(left).toBe(8);
    // The run continues in this test but prints nothing more.
    expect(told).toMatchObject({ type: 'outcome', rendered: 0, skipped: ['rome'], ended_by: 'interrupted' });
    expect(in_progress.map(({ id, session }) => [id, typeof session])).toEqual([
      ['berlin', 'string'],
      ['oslo', 'string'],
    ]);
  });
});

describe('reelform apply --fail-fast', () => {
  it('starts nothing after the first failure', async () => {
    const { service, outcome } = await setUp({ looks: 1 });
    service.end = { status: 'preview_failed', video_url: null };
    const args = [...APPLY, '--concurrency', '1'];
    expect(await outcome([...args, '--fail-fast'])).toMatchObject({
      exitCode: 4,
      ended_by: 'failure',
      skipped: ['oslo', 'rome'],
    });
    expect(service.count(POST)).toBe(1);
    expect(await outcome(args)).toMatchObject({ exitCode: 4, ended_by: null, skipped: [] });
    expect(service.count(POST)).toBe(4);
  });
});

describe('an apply without a response', () => {
  it('exits with 4, continues with the others, and never repeats the request', async () => {
    const { service, run } = await setUp({ looks: 1 });
    service.force(POST, { kind: 'cut', afterDoing: true });
    const { exitCode, stdout } = await run([...APPLY, '--concurrency', '1']);
    expect(exitCode).toBe(4);
    expect(stdout).toContain('2 rendered, 1 unknown');
    expect(stdout).toContain('reelform resolve berlin');
    expect(await run(APPLY)).toMatchObject({ exitCode: 4 });
    expect(service.count(POST)).toBe(3);
  });

  it('repeats the request in another run if the service is known to keep keys', async () => {
    const { service, run } = await setUp({ looks: 1, keepsKeys: true });
    await run([...APPLY, '--target', 'rome']);
    service.force(POST, ...Array.from({ length: 20 }, () => ({ kind: 'cut', afterDoing: true }) as const));
    await run([...APPLY, '--target', 'oslo', '--timeout', '20s']);
    service.force(POST);
    const unresolved = 'but it is unknown whether the service accepted it';
    expect((await run(['plan', '--target', 'oslo'])).stderr).toContain(unresolved);
    // Nothing is checked without approval, so the warning still holds.
    const refused = await run(['apply', '--target', 'oslo']);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(unresolved) });
    // The run settles the request, so there is nothing to resolve.
    const settled = await run([...APPLY, '--target', 'oslo']);
    expect(settled).toMatchObject({ exitCode: 0 });
    expect(`${settled.stdout}${settled.stderr}`).not.toMatch(/unknown whether|reelform resolve/);
    expect(service.sessions.size).toBe(2);
  });
});

describe('the journal of an apply', () => {
  it('is compacted when everything is in the lockfile', async () => {
    const { root, run } = await setUp({ looks: 1 });
    await run(APPLY);
    const lines = readFileSync(join(root, '.reelform/journal.ndjson'), 'utf8').trimEnd().split('\n');
    expect(lines.filter((line) => line.includes('"intent"'))).toEqual([]);
  });

  it('stops every command if it cannot be read', async () => {
    const { root, service, run } = await setUp({ looks: 1 });
    mkdirSync(join(root, '.reelform'));
    writeFileSync(join(root, '.reelform/journal.ndjson'), 'nonsense\n');
    for (const args of [['plan'], APPLY]) {
      const { exitCode, stderr } = await run(args);
      expect({ exitCode, stderr }).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('journal_unreadable'),
      });
    }
    expect(service.count(POST)).toBe(0);
  });
});

describe('an apply that renders nothing', () => {
  it('requires no token', async () => {
    const { root, service, run } = await setUp({ looks: 1 });
    await run(APPLY);
    renameSync(join(root, 'videos/rome.yaml'), join(root, 'videos/roma.yaml'));
    rmSync(join(root, 'videos/oslo.yaml'));
    const { exitCode, stdout } = await run(APPLY, { env: { REELFORM_TOKEN: '' } });
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('2 recorded') });
    expect(service.count(POST)).toBe(3);
  });
});

describe('a reverted change', () => {
  it('is adopted from the history of the lockfile without rendering', async () => {
    const { root, service, run } = await setUp({ looks: 1 });
    const { git } = gitIn(root);
    writeFileSync(join(root, '.gitignore'), '.reelform/\n');
    await git('init', '--quiet', '-b', 'main');
    const commit = async (): Promise<void> => {
      await git('add', '.');
      await git('commit', '--quiet', '-m', 'rendered');
    };
    await run(APPLY);
    await commit();
    const former = readFileSync(join(root, 'videos/rome.yaml'), 'utf8');
    writeFileSync(join(root, 'videos/rome.yaml'), former.replace('t_01: rome', 't_01: Roma'));
    await run(APPLY);
    await commit();
    expect(service.count(POST)).toBe(4);
    writeFileSync(join(root, 'videos/rome.yaml'), former);
    const { stdout } = await run(['plan', '--json']);
    expect((JSON.parse(stdout) as { changes: unknown[] }).changes).toMatchObject([
      { id: 'rome', action: 'adopt', source: { kind: 'history', id: 'rome' } },
    ]);
    expect(await run(APPLY)).toMatchObject({ exitCode: 0 });
    expect(service.count(POST)).toBe(4);
    rmSync(join(root, '.git'), { recursive: true });
    expect(await run(['plan', '--detailed-exitcode'])).toMatchObject({ exitCode: 0 });
  });
});
