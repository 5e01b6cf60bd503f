import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { numberedClip } from '../../engine/media/media-files.ts';
import { mediaPackageFiles } from '../../support/media-package.ts';
import { definition, makeFolder, makeRepository, NO_LINT } from '../../support/repository.ts';
import { solidPng } from '../../support/small-package.ts';
import { reelform } from '../../support/test-io.ts';

async function pixelAt(path: string, x: number, y: number): Promise<number[]> {
  const image = await loadImage(path);
  const canvas = createCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  return [...context.getImageData(x, y, 1, 1).data];
}

describe('reelform render', () => {
  it('renders a video by its path or id and records nothing', async () => {
    const root = makeRepository();
    const byPath = await reelform(join(root, 'videos'), ['render', 'berlin.yaml']);
    expect(byPath.stderr).toBe('');
    expect(byPath.stdout).toMatch(
      /^\.\.\/renders\/looks\/berlin\.mp4 {2}64 × 36, 10 frames, \d+ kB, in [\d.:]+ (?:s|min)\n$/,
    );
    const file = join(root, 'renders/looks/berlin.mp4');
    expect(readFileSync(file).subarray(4, 8).toString()).toBe('ftyp');
    const { exitCode, stdout } = await reelform(root, ['render', 'rome', '--format', 'gif', '--fps', '5', '--json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      format_version: '1.0',
      video: 'rome',
      path: join(root, 'renders/looks/rome.gif'),
      format: 'gif',
      width: 64,
      height: 36,
      fps: 5,
      frames: 5,
      frame: null,
    });
    expect(existsSync(join(root, 'reelform.lock.json'))).toBe(false);
    expect(existsSync(join(root, '.reelform/journal.ndjson'))).toBe(false);
  });

  it('renders a frame as PNG, by number or time, and a draft at half the height', async () => {
    const root = makeRepository();
    const number = await reelform(root, ['render', 'berlin', '--frame', '3', '--out', 'a.png']);
    expect(number.stdout).toMatch(/^a\.png {2}64 × 36, one frame, /);
    expect((await pixelAt(join(root, 'a.png'), 48, 18)).slice(0, 3)).toEqual([255, 0, 0]);
    const time = await reelform(root, ['render', 'berlin', '--frame', '0.3s', '--draft']);
    expect(time.stdout).toMatch(/^renders\/looks\/berlin\.frame-3\.draft\.png {2}32 × 18, one frame, /);
  });

  it('drops the codec of the definition for another format', async () => {
    const root = makeRepository({
      'videos/rome.yaml': definition('Rome', 'output: {format: mov, codec: prores4444}\n'),
    });
    const { exitCode, stdout } = await reelform(root, ['render', 'rome', '--frame', '3']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^renders\/looks\/rome\.frame-3\.png {2}64 × 36, one frame, /);
  });

  it('derives the format from the extension of --out, which overrides the definition', async () => {
    const root = makeRepository({ 'videos/rome.yaml': definition('Rome', 'output: {format: webm, height: 18}\n') });
    expect((await reelform(root, ['render', 'rome'])).stdout).toMatch(/^renders\/looks\/rome\.webm {2}32 × 18, /);
    const { stdout } = await reelform(root, ['render', 'rome', '--out', 'x/y.webp', '--height', '72']);
    expect(stdout).toMatch(/^x\/y\.webp {2}128 × 72, /);
    expect(readFileSync(join(root, 'x/y.webp')).subarray(8, 12).toString()).toBe('WEBP');
  });

  it('writes a video as a Lottie document', async () => {
    const root = makeRepository({ 'videos/rome.yaml': definition('Rome', 'output: {format: webm, height: 18}\n') });
    const { stderr, stdout } = await reelform(root, ['render', 'rome', '--format', 'lottie']);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^renders\/looks\/rome\.json {2}64 × 36, 10 frames, \d+ kB, in [\d.:]+ (?:s|min)\n$/);
    const document = JSON.parse(readFileSync(join(root, 'renders/looks/rome.json'), 'utf8'));
    expect(document).toMatchObject({ w: 64, h: 36, fr: 10, ip: 0, op: 10 });
    const named = await reelform(root, ['render', 'rome', '--out', 'x/rome.json', '--json']);
    expect(JSON.parse(named.stdout)).toMatchObject({
      format: 'lottie',
      path: join(root, 'x/rome.json'),
      fps: 10,
      frames: 10,
    });
  });

  it('reports where the clip of a Lottie document does not go on', async () => {
    const media = Object.fromEntries(
      [...mediaPackageFiles()].map(([path, bytes]) => [`templates/media/${path}`, bytes]),
    );
    const root = makeFolder({
      ...media,
      'reelform.yaml': `templates:\n  media: ./templates/media\n${NO_LINT}`,
      'videos/images/photo.png': solidPng('#ff0000', 64, 36),
      'videos/clip.mp4': await numberedClip(10, 40),
      'videos/held.yaml': [
        'title: Held',
        'scenes:',
        '  - id: a',
        '    template: media',
        '    duration: 2',
        '    resources:',
        '      "(Footage)/USER/photo.png": ./images/photo.png',
        '      "(Footage)/USER/clip.mp4": ./clip.mp4',
        '',
      ].join('\n'),
    });
    const { exitCode, stderr } = await reelform(root, ['render', 'held', '--format', 'lottie']);
    expect(stderr).toContain('videos/held.yaml:8:34');
    expect(stderr).toMatch(/warning {2}From \d\.\d s, the clip .* lottie_differs/);
    expect(stderr).toContain('the clip a.(Footage)/USER/clip.mp4 does not go on');
    expect(exitCode).toBe(0);
  });

  it.each([
    [['rome', '--format', 'lottie', '--height', '36'], 'options_conflict', 'size and rate of its video'],
    [['rome', '--out', 'a.json', '--draft'], 'options_conflict', 'size and rate of its video'],
    [['rome', '--format', 'lottie', '--out', 'a.mp4'], 'options_conflict', 'Use the extension .json'],
    [['moscow'], 'unknown_video', 'Name a definition'],
    [['rmoe'], 'unknown_video', 'Did you mean rome?'],
    [['videos/roma.yaml'], 'unknown_video', 'Did you mean videos/rome.yaml?'],
    [['rome', '--frame', '10'], 'options_conflict', 'from 0 to 9, or seconds from 0s to 0.90s'],
    [['rome', '--frame', '1e3'], 'options_conflict', 'from 0 to 9'],
    [['rome', '--frame', '1', '--format', 'gif'], 'options_conflict', 'Remove one of these options'],
    [['rome', '--format', 'webm', '--out', 'a.gif'], 'options_conflict', 'Use the extension .webm'],
    [['rome', '--out', 'a.avi'], 'options_conflict', 'Use one of .mp4, .mov, .webm, .gif, .webp, .png, .zip'],
    [['rome', '--height', '33'], 'definition_invalid', '--height'],
    [['rome', '--fps', 'many'], 'definition_invalid', '--fps'],
  ])('refuses %j', async (args, code, hint) => {
    const { exitCode, stdout, stderr } = await reelform(makeRepository(), ['render', ...args]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain(`error ${code}: `);
    expect(stderr).toContain(hint);
  });

  it('asks for one row of a definition with several videos', async () => {
    const root = makeRepository({
      'videos/rows.yaml': `each: { from: videos/rows.csv, id: "\${id}" }\n${definition('Row ${id}')}`,
      'videos/rows.csv': 'id\na\nb\n',
    });
    const { exitCode, stderr } = await reelform(root, ['render', 'videos/rows.yaml']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('Name one of these videos: rows/a, rows/b');
    expect((await reelform(root, ['render', 'rows/b', '--frame', '0'])).stdout).toMatch(
      /^renders\/looks\/rows\/b\.frame-0\.png /,
    );
  });

  it('reports errors of its own definition and ignores those of others', async () => {
    const root = makeRepository({ 'videos/oslo.yaml': 'template: small\ntitle: Oslo\nresources: {}\n' });
    const { exitCode, stderr } = await reelform(root, ['render', 'videos/oslo.yaml']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('missing_editable');
    expect((await reelform(root, ['render', 'oslo'])).stderr, 'by its id').toContain('missing_editable');
    expect((await reelform(root, ['render', 'rome', '--frame', '0'])).exitCode).toBe(0);
  });

  it('reports a video that cannot be rendered, and a template of a service', async () => {
    const broken = makeRepository({ 'videos/images/photo.png': 'not a picture' });
    const failed = await reelform(broken, ['render', 'berlin']);
    expect(failed).toMatchObject({ exitCode: 4, stdout: '' });
    expect(failed.stderr).toMatch(/^asset_\w+: \(Footage\)\/USER\/photo\.png: /);
    const remote = `service: {url: https://x.example}\ntemplates:\n  small: sv_1\n${NO_LINT}`;
    const root = makeRepository({ 'reelform.yaml': remote });
    mkdirSync(join(root, 'schemas'), { recursive: true });
    const { exitCode, stderr } = await reelform(root, ['render', 'rome']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/template|spec_missing/);
  });
});
