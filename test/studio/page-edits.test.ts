import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EditAnswer, UploadAnswer } from '../../src/studio/edit-protocol.ts';
import type { RowTable, TemplateDetail, VideoDetail } from '../../src/studio/protocol.ts';
import { PreviewClient } from '../support/preview-client.ts';
import { definition, makeRepository } from '../support/repository.ts';
import { solidPng } from '../support/small-package.ts';
import { reelform } from '../support/test-io.ts';

const BERLIN = `# The city film.
template: small
title: 'Berlin'

resources:
  # Short, because the box is narrow.
  t_01: Berlin # the headline
  c_01: "#EEADA7"
  (Footage)/USER/photo.png: ./images/photo.png
`;

const PHOTO = 'extends: ./_warm.yaml\nresources:\n  (Footage)/USER/photo.png: ./images/photo.png\n';
const WARM = 'extends: ./_photo.yaml\ntemplate: small\ntitle: Warm\nresources:\n  t_01: Warm\n';

let root: string;
let page: PreviewClient;

beforeAll(async () => {
  root = makeRepository({
    'videos/berlin.yaml': BERLIN,
    'videos/_warm.yaml': 'resources:\n  c_01: "#FFAA00"\n',
    'videos/_photo.yaml': PHOTO,
    'videos/warm.yaml': WARM,
    'videos/stores.yaml':
      'extends: ./_warm.yaml\ntemplate: small\neach: { from: ./data/stores.csv, id: "${id}" }\ntitle: ${city}\nresources:\n  t_01: ${city}\n',
    'videos/data/stores.csv': 'id,city\r\nlyon,"Lyon, the city"\r\nnice,Nice\r\n',
  });
  page = await PreviewClient.start(root);
  await page.listen();
});

afterAll(async () => {
  expect(await page.close()).toBe(0);
});

function text(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

async function post<T = EditAnswer>(path: string, body: unknown): Promise<T> {
  const { status, json } = await page.post(`/api/${path}`, body);
  expect({ status, json }).toMatchObject({ status: 200 });
  return json as T;
}

describe('POST /api/edit', () => {
  it('writes values back and keeps comments, order and style; undo restores the bytes, and can be undone', async () => {
    const changes = [
      { path: ['resources', 't_01'], value: 'Berlin: now' },
      { path: ['resources', '(Footage)/USER/photo.png', 'transform'], value: { focus_x: 0.25 } },
      { path: ['description'], value: 'A film' },
    ];
    const { undo, files, problems } = await post('edit', { id: 'berlin', changes });
    expect({ files, problems }).toEqual({ files: ['videos/berlin.yaml'], problems: [] });
    const edited = `# The city film.
template: small
title: 'Berlin'

resources:
  # Short, because the box is narrow.
  t_01: "Berlin: now" # the headline
  c_01: "#EEADA7"
  (Footage)/USER/photo.png:
    source: ./images/photo.png
    focus_x: 0.25
description: A film
`;
    expect(text('videos/berlin.yaml')).toBe(edited);
    const redo = await post('undo', { undo });
    expect(text('videos/berlin.yaml')).toBe(BERLIN);
    await post('undo', { undo: redo.undo });
    expect(text('videos/berlin.yaml')).toBe(edited);
    expect(await page.post('/api/undo', { undo })).toMatchObject({ status: 404, json: { code: 'gone' } });
  });

  it('keeps the transform of a changed source, and removes values', async () => {
    const key = '(Footage)/USER/photo.png';
    await post('edit', { id: 'berlin', changes: [{ path: ['resources', key], value: 'videos/images/photo.png' }] });
    expect(text('videos/berlin.yaml')).toContain('    source: videos/images/photo.png\n    focus_x: 0.25\n');
    await post('edit', { id: 'berlin', changes: [{ path: ['resources', key], value: null }] });
    expect(text('videos/berlin.yaml')).not.toContain(key);
  });

  it('writes a value of a fragment, and the transform of its image, to the definition itself', async () => {
    const key = '(Footage)/USER/photo.png';
    const changes = [
      { path: ['resources', 'c_01'], value: '#00AAFF' },
      { path: ['resources', key, 'transform'], value: { focus_y: 0.1 } },
    ];
    await post('edit', { id: 'warm', changes });
    expect(text('videos/warm.yaml')).toBe(
      `${WARM}  c_01: "#00AAFF"\n  ${key}:\n    source: videos/images/photo.png\n    focus_y: 0.1\n`,
    );
    expect(text('videos/_photo.yaml')).toBe(PHOTO);
  });

  it('answers with the problems of the file, and does not touch invalid YAML', async () => {
    const long = 'A headline that is far too long';
    const { problems, undo } = await post('edit', {
      id: 'rome',
      changes: [{ path: ['resources', 't_01'], value: long }],
    });
    expect(problems).toMatchObject([{ code: 'text_too_long', file: 'videos/rome.yaml', line: 4 }]);
    writeFileSync(join(root, 'videos/rome.yaml'), 'title: [');
    await page.until(({ problems }) => problems.some(({ code }) => code === 'yaml_syntax'));
    const change = { id: 'rome', changes: [{ path: ['title'], value: 'Rome' }] };
    expect(await page.post('/api/edit', change)).toMatchObject({ status: 409, json: { code: 'conflict' } });
    expect(await page.post('/api/undo', { undo })).toMatchObject({ status: 409 });
    expect(text('videos/rome.yaml')).toBe('title: [');
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Rome'));
    await page.until(({ problems }) => problems.every(({ severity }) => severity !== 'error'));
  });

  it('is refused without the origin and the content type of the page', async () => {
    const body = JSON.stringify({ id: 'berlin', changes: [] });
    const headers = { cookie: page.cookie, 'content-type': 'application/json' };
    expect((await page.raw('/api/edit', { method: 'POST', headers, body })).status).toBe(403);
    expect((await page.post('/api/edit', {}, { 'content-type': 'text/plain' })).status).toBe(400);
    expect((await page.post('/api/edit', [])).status).toBe(400);
  });
});

describe('GET /api/video', () => {
  it('describes the form and where its values are written', async () => {
    const { form, row, sources, stills } = await page.json<VideoDetail>('/api/video?id=stores/lyon');
    expect(row).toEqual({ path: 'videos/data/stores.csv', index: 0 });
    expect(form).toMatchObject([
      {
        key: 't_01',
        value: 'Lyon, the city',
        origin: { kind: 'row' },
        cell: { path: 'videos/data/stores.csv', row: 0, column: 'city' },
        maxLength: 20,
      },
      { key: 'c_01', value: '#FFAA00', origin: { kind: 'fragment', at: { path: 'videos/_warm.yaml', line: 2 } } },
      { key: '(Footage)/USER/photo.png', value: null, origin: { kind: 'none', at: null }, isRequired: false },
    ]);
    expect(sources.map(({ path, role }) => [path, role])).toEqual([
      ['videos/stores.yaml', 'definition'],
      ['videos/_warm.yaml', 'fragment'],
      ['videos/data/stores.csv', 'data'],
    ]);
    expect(stills).toEqual([{ name: 'stillcut_01', frame: 5 }]);
  });

  it('refuses unknown videos, and lints known ones', async () => {
    expect(await page.get('/api/video?id=nowhere')).toMatchObject({ status: 404 });
    expect(await page.json('/api/lint?id=berlin')).toEqual([]);
  });
});

describe('the rows of a data file', () => {
  it('are shown with their videos, edited, added and removed', async () => {
    const table = await page.json<RowTable>('/api/rows?path=videos/data/stores.csv');
    expect(table).toEqual({
      path: 'videos/data/stores.csv',
      isEditable: true,
      columns: ['id', 'city'],
      rows: [
        ['lyon', 'Lyon, the city'],
        ['nice', 'Nice'],
      ],
      ids: ['stores/lyon', 'stores/nice'],
    });
    const cells = [{ row: 1, column: 'city', value: 'Nice 2' }];
    await post('rows', { path: table.path, cells, added: [{ id: 'brest', city: 'Brest' }] });
    expect(text(table.path)).toBe('id,city\r\nlyon,"Lyon, the city"\r\nnice,Nice 2\r\nbrest,Brest\r\n');
    const { videos } = await page.state();
    expect(videos.filter(({ path }) => path === 'videos/stores.yaml').map(({ title }) => title)).toEqual([
      'Brest',
      'Lyon, the city',
      'Nice 2',
    ]);
    expect((await page.post('/api/rows', { path: table.path, cells: [], removed: [9] })).status).toBe(400);
    expect((await page.get('/api/rows?path=reelform.yaml')).status).toBe(404);
  });
});

describe('new files', () => {
  it('are videos of a template, and copies with paths that still hold', async () => {
    await post('new', { template: 'small', id: 'cities/new-york' });
    expect(text('videos/cities/new-york.yaml')).toMatch(/^template: small\ntitle: New york\nresources:\n {2}t_01: /);
    await post('duplicate', { id: 'oslo', newId: 'cities/bergen' });
    expect(text('videos/cities/bergen.yaml')).toBe(
      text('videos/oslo.yaml').replace('./images/photo.png', 'videos/images/photo.png'),
    );
    const { videos, problems } = await page.state();
    expect(videos.find(({ id }) => id === 'cities/bergen')).toMatchObject({ state: 'new', title: 'Oslo' });
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect((await page.post('/api/new', { template: 'small', id: '../evil' })).status).toBe(400);
    expect((await page.post('/api/new', { template: 'small', id: 'oslo' })).status).toBe(409);
    expect((await page.post('/api/duplicate', { id: 'stores/nice', newId: 'nice' })).status).toBe(400);
  });

  it('are uploads, which do not replace others', async () => {
    const upload = async (name: string, body: Uint8Array) =>
      page.post(`/api/upload?name=${encodeURIComponent(name)}`, body, { 'content-type': 'image/png' });
    const first = (await upload('../my photo.png', solidPng('#00ff00'))).json as UploadAnswer;
    expect(first.path).toBe('videos/images/my photo.png');
    expect((await upload('my photo.png', solidPng('#00ff00'))).json).toMatchObject({ path: first.path });
    expect((await upload('my photo.png', solidPng('#0000ff'))).json).toMatchObject({
      path: 'videos/images/my photo-2.png',
    });
    await post('undo', { undo: first.undo });
    expect(existsSync(join(root, first.path))).toBe(false);
    expect((await upload('Voice.flac', new TextEncoder().encode('fLaC'))).json).toMatchObject({
      path: 'videos/sounds/Voice.flac',
    });
    expect((await upload('run.sh', solidPng('#0000ff'))).status).toBe(400);
  });
});

describe('files and templates', () => {
  it('sends files that a video or template uses, with ranges, and no others', async () => {
    const path = '/api/file?path=videos/images/photo.png';
    const whole = await page.get(path);
    expect(whole.bytes.equals(solidPng('#ff0000'))).toBe(true);
    const part = await page.get(path, { range: 'bytes=1-3' });
    expect({ status: part.status, text: part.bytes.toString() }).toEqual({ status: 206, text: 'PNG' });
    expect((await page.get(path, { range: 'bytes=999999-' })).status).toBe(416);
    for (const path of ['reelform.yaml', '../x', '/etc/passwd', '.git/config']) {
      expect((await page.get(`/api/file?path=${encodeURIComponent(path)}`)).status).toBe(404);
    }
  });

  it('describes and checks a template', async () => {
    const detail = await page.json<TemplateDetail>('/api/template?name=small');
    expect(detail).toMatchObject({
      stills: [{ name: 'stillcut_01', frame: 5 }],
      editables: [{ key: 't_01' }, { key: 'c_01' }, { key: '(Footage)/USER/photo.png' }],
    });
    expect(detail.files).toContain('animation.json');
    const checked = JSON.parse((await reelform(root, ['template', 'check', 'templates/small', '--json'])).stdout);
    expect(await page.json('/api/template-check?name=small')).toEqual(checked.diagnostics);
  });

  it('opens only files of the repository in an editor', async () => {
    for (const path of ['../../etc/passwd', 'reelform.lock.json']) {
      expect((await page.post('/api/open', { path, line: 1, column: 1 })).status).toBe(404);
    }
  });
});
