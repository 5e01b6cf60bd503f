import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { firstTemplate } from '../../src/reconciler/definition/video.ts';
import { loadProject, type Project } from '../../src/reconciler/project/load-project.ts';
import { hasFfprobe, probe } from '../support/ffprobe.ts';

/**
 * Runs the README's first command in a fresh clone of this repository's last commit: build, then `apply`. Then checks
 * which edits render again and which do not.
 */
const REPOSITORY = join(import.meta.dirname, '../..');
const clone = join(mkdtempSync(join(tmpdir(), 'reelform-clone-')), 'reelform');
let project: Project;

const environment = { cwd: clone, reject: false, env: { CI: 'true', NO_COLOR: '1' } };

/** Runs what `npx reelform` runs, without the second that npx takes to find it. */
async function reelform(...args: string[]) {
  return execa(join(clone, 'node_modules/.bin/reelform'), args, environment);
}

function edit(file: string, change: (text: string) => string): void {
  const path = join(clone, file);
  const before = readFileSync(path, 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`the edit of ${file} changed nothing`);
  writeFileSync(path, after);
}

interface PlanJson {
  readonly summary: Readonly<Record<string, number>>;
  readonly changes: readonly {
    id: string;
    action: string;
    reason: string | null;
    inputs: { key: string; before: string; after: string }[];
  }[];
}

async function planned(): Promise<PlanJson> {
  const { stdout } = await reelform('plan', '--json');
  return JSON.parse(stdout) as PlanJson;
}

async function gitStatus(): Promise<string> {
  return (await execa('git', ['status', '--porcelain'], { cwd: clone })).stdout;
}

function renders(): string[] {
  return readdirSync(join(clone, 'renders'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.mp4'))
    .sort();
}

beforeAll(async () => {
  await execa('git', ['clone', '--quiet', REPOSITORY, clone]);
  // Reuses the installed node_modules in place of npm ci: hard links, or copies across file systems.
  const [from, to] = [join(REPOSITORY, 'node_modules'), join(clone, 'node_modules')];
  const linked = await execa('cp', ['-al', from, to], { reject: false });
  if (linked.failed) await execa('cp', ['-a', from, to]);
  await execa('npm', ['run', 'prepare'], { cwd: clone });
  project = await loadProject({ cwd: clone });
});

describe('the first command on a fresh clone', () => {
  it('restores every video of the committed lockfile and leaves git clean', async () => {
    const { exitCode, stdout, stderr } = await execa('npx', ['reelform', 'apply', '--auto-approve'], environment);
    expect(stderr).toContain('begun');
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Done') });
    expect(renders().length).toBeGreaterThanOrEqual(6);
    expect(renders()).toHaveLength(project.videos.length);
    expect(await gitStatus()).toBe('');
  });

  it('renders videos that ffprobe finds correct', async (context) => {
    if (!(await hasFfprobe())) return context.skip();
    const lock = JSON.parse(readFileSync(join(clone, 'reelform.lock.json'), 'utf8')) as {
      videos: Record<string, { video_url: string; template: string; thumbnails: string[] }>;
    };
    for (const [id, entry] of Object.entries(lock.videos)) {
      const template = project.templates.get(entry.template)!.package!;
      const found = await probe(join(clone, entry.video_url));
      expect({ id, ...found }).toEqual({
        id,
        codec: 'h264',
        pixelFormat: 'yuv420p',
        colorSpace: 'bt709',
        width: template.width,
        height: template.height,
        frameRate: `${template.fps}/1`,
        frameCount: template.frameCount,
        durationSeconds: expect.closeTo(template.frameCount / template.fps, 2),
      });
      expect(entry.thumbnails).toHaveLength(template.stills.length);
      for (const thumbnail of entry.thumbnails) expect(statSync(join(clone, thumbnail)).size).toBeGreaterThan(1000);
    }
  });
});

describe('a second run', () => {
  it('renders nothing', async () => {
    const before = renders().map((name) => statSync(join(clone, 'renders', name)).mtimeMs);
    expect(await reelform('plan', '--detailed-exitcode')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('No changes'),
    });
    expect(await reelform('apply', '--auto-approve')).toMatchObject({ exitCode: 0 });
    expect(renders().map((name) => statSync(join(clone, 'renders', name)).mtimeMs)).toEqual(before);
    expect(await gitStatus()).toBe('');
  });
});

describe('an edit', () => {
  /** The shortest video in a file of its own. */
  const definition = () => {
    const frames = (video: Project['videos'][number]) =>
      project.templates.get(firstTemplate(video))!.package!.frameCount;
    const own = project.videos.filter((video) => !video.id.includes('stores'));
    return own.sort((a, b) => frames(a) - frames(b))[0]!.path;
  };

  it('of a comment plans nothing', async () => {
    edit(definition(), (text) => `${text}\n# A comment at the end\n`);
    expect((await planned()).changes).toEqual([]);
  });

  it('of a text plans that field of that video, and apply renders only that video', async () => {
    const { id, path } = project.videos.find((video) => video.path === definition())!;
    edit(path, (text) => text.replace(/^( +t_01:) .*$/m, '$1 Edited'));
    const plan = await planned();
    expect(plan.changes).toMatchObject([
      { id, action: 'update', reason: 'input_changed', inputs: [{ key: 't_01', after: 'Edited' }] },
    ]);
    expect(await reelform('plan', '--detailed-exitcode')).toMatchObject({ exitCode: 2 });
    const { exitCode, stdout } = await reelform('apply', '--auto-approve');
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 rendered') });
    expect((await planned()).changes).toEqual([]);
  });

  it('of an image plans the videos that use it', async () => {
    const uses = new Map<string, string[]>();
    for (const video of project.videos) {
      for (const resource of video.scenes[0]!.resources.values()) {
        if (resource.kind !== 'image' || resource.source.kind !== 'file') continue;
        const { path } = resource.source;
        uses.set(path, [...new Set([...(uses.get(path) ?? []), video.id])]);
      }
    }
    const [image, ids] = [...uses].sort((a, b) => b[1].length - a[1].length)[0]!;
    const others = [...uses.keys()].filter((path) => path !== image && path.endsWith(image.slice(-4)));
    const bytes = readFileSync(join(clone, image));
    writeFileSync(join(clone, image), readFileSync(join(clone, others[0]!)));
    const plan = await planned();
    expect(plan.changes.map((change) => change.id)).toEqual([...ids].sort());
    expect(new Set(plan.changes.map((change) => change.reason))).toEqual(new Set(['asset_changed']));
    writeFileSync(join(clone, image), bytes);
    expect((await planned()).changes).toEqual([]);
  });

  it('of a file name plans a move without rendering', async () => {
    const path = definition();
    const moved = path.replace(/\.yaml$/, '-moved.yaml');
    renameSync(join(clone, path), join(clone, moved));
    expect((await planned()).changes).toMatchObject([{ action: 'move' }]);
    const { stdout } = await reelform('apply', '--auto-approve');
    expect(stdout).toContain('0 rendered, 1 recorded');
    renameSync(join(clone, moved), join(clone, path));
    await reelform('apply', '--auto-approve');
  });

  it('that breaks a definition stops apply before it renders anything', async () => {
    edit(definition(), (text) => text.replace(/^( +c_01:) .*$/m, '$1 "#nonsense"'));
    rmSync(join(clone, 'renders'), { recursive: true });
    const { exitCode, stderr } = await reelform('apply', '--auto-approve');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('invalid_color');
    expect(stderr).toContain(definition());
    expect(existsSync(join(clone, 'renders'))).toBe(false);
  });
});
