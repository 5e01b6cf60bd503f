import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EditAnswer, SceneListRequest } from '../../src/studio/edit-protocol.ts';
import type { RowTable, VideoDetail } from '../../src/studio/protocol.ts';
import { stereoWav } from '../engine/media/media-files.ts';
import { PreviewClient } from '../support/preview-client.ts';
import { makeRepository } from '../support/repository.ts';
import { writeFiles } from '../support/temporary-repository.ts';

const FILM = `# The film of the season.
title: Spring
poster: product/chair.stillcut_01
resources: { c_01: "#EEADA7" }
scenes:
  # Opens every film.
  - template: small
    resources: { t_01: Spring } # the headline
  - id: product
    template: small
    each: { from: data/products.csv, id: "\${slug}" }
    resources: { t_01: "\${name}" }
    duration: 2
    transition: { type: fade, duration: 0.2 }
  - id: outro
    template: small
    when: "no"
    resources: { t_01: Bye }
`;

let root: string;
let page: PreviewClient;

beforeAll(async () => {
  root = makeRepository({ 'videos/film.yaml': FILM, 'data/products.csv': 'slug,name\nlamp,Lamp\nchair,Chair\n' });
  page = await PreviewClient.start(root);
  await page.listen();
});

afterAll(async () => {
  expect(await page.close()).toBe(0);
});

const text = (): string => readFileSync(join(root, 'videos/film.yaml'), 'utf8');
const detail = (): Promise<VideoDetail> => page.json<VideoDetail>('/api/video?id=film');

async function edit(change: SceneListRequest['edit']): Promise<EditAnswer> {
  const { status, json } = await page.post('/api/scenes', { id: 'film', edit: change });
  expect({ status, json }).toMatchObject({ status: 200 });
  return json as EditAnswer;
}

describe('GET /api/video of a video of scenes', () => {
  it('has its scenes as blocks, and what is left out', async () => {
    const { scenes, leftOut, card, segments, stills } = await detail();
    const { frameCount, fps } = card.picture!;
    expect(scenes).toMatchObject([
      { id: 'small', template: 'small', first: 0, why: 'as designed', transition: null, written: { index: 0 } },
      { id: 'product/lamp', seconds: 2, duration: '2', why: 'set to 2 s', written: { index: 1, isEach: true } },
      { id: 'product/chair', transition: { type: 'fade' }, written: { index: 1, isEach: true } },
    ]);
    expect(scenes.at(-1)!.end).toBe(frameCount);
    expect(scenes[1]!.end - scenes[1]!.first).toBe(2 * fps);
    expect(scenes[2]!.transition).toEqual({ type: 'fade', first: scenes[2]!.first, end: scenes[2]!.first + 0.2 * fps });
    expect(leftOut).toMatchObject([{ id: 'outro', reason: expect.stringContaining('no') }]);
    expect(card.posterFrame).toBe(stills.find(({ name }) => name === 'product/chair.stillcut_01')!.frame);
    // Each scene begins a segment.
    const starts = segments.map(({ first }) => first);
    for (const { first } of scenes) expect(starts).toContain(first);
  });

  it('has the values of each scene where they are written', async () => {
    const { form } = await detail();
    const headlines = form.filter(({ key }) => key === 't_01');
    expect(headlines).toMatchObject([
      { scene: 'small', value: 'Spring', path: ['scenes', '0', 'resources', 't_01'], origin: { kind: 'own' } },
      { scene: 'product/lamp', value: 'Lamp', origin: { kind: 'row', at: { path: 'data/products.csv', line: 2 } } },
      { scene: 'product/chair', value: 'Chair', origin: { kind: 'row' } },
    ]);
    expect(headlines[1]!.cell).toEqual({ path: 'data/products.csv', row: 0, column: 'name' });
    expect(headlines[2]!.cell).toEqual({ path: 'data/products.csv', row: 1, column: 'name' });
    // A value of all scenes.
    const colors = form.filter(({ key }) => key === 'c_01');
    expect(colors.map(({ path }) => path.join('.'))).toEqual(Array(3).fill('resources.c_01'));
  });
});

describe('values of rows', () => {
  const ROWS = `title: Rows
resources: { c_01: "#EEADA7" }
scenes:
  - id: list
    template: small
    each:
      from:
        - { slug: a, name: First } # the first
      id: "\${slug}"
    resources: { t_01: "\${name}" }
  - id: file
    template: small
    each: { from: data/rows.json, id: "\${slug}" }
    resources: { t_01: "\${name}" }
  - id: composed
    template: small
    each: { from: data/products.csv, id: "\${slug}" }
    resources: { t_01: "The \${name}" }
`;

  it('are edited in a list, and named where the page cannot edit them', async () => {
    writeFiles(root, { 'videos/rows.yaml': ROWS, 'data/rows.json': '[{ "slug": "b", "name": "Second" }]' });
    await page.until(({ videos }) => videos.some(({ id }) => id === 'rows'));
    const { form } = await page.json<VideoDetail>('/api/video?id=rows');
    const [list, file, composed] = form.filter(({ key }) => key === 't_01');
    expect(list).toMatchObject({ isEditable: true, cell: null, origin: { at: { path: 'videos/rows.yaml', line: 8 } } });
    expect(file).toMatchObject({ isEditable: false, cell: null, origin: { at: { path: 'data/rows.json', line: 1 } } });
    expect(composed).toMatchObject({ isEditable: false, cell: null, origin: { at: { path: 'videos/rows.yaml' } } });
    await page.post('/api/edit', { id: 'rows', changes: [{ path: list!.path, value: 'Changed' }] });
    const edited = ROWS.replace('name: First', 'name: Changed');
    expect(readFileSync(join(root, 'videos/rows.yaml'), 'utf8')).toBe(edited);
  });

  it('are shown as a table of a scene', async () => {
    const table = await page.json<RowTable>('/api/rows?path=data/products.csv');
    expect(table).toMatchObject({ isEditable: true, columns: ['slug', 'name'], ids: [null, null] });
    const { scenes } = await detail();
    expect(scenes.map(({ written }) => written?.rows)).toEqual([null, 'data/products.csv', 'data/products.csv']);
  });
});

describe('a definition of scenes with errors', () => {
  const LONG = 'far more than the twenty letters';

  it('keeps its timeline, with the problem at its scene and its value', async () => {
    const written = text();
    writeFileSync(join(root, 'videos/film.yaml'), written.replace('t_01: Spring', `t_01: ${LONG}`));
    await page.until(({ videos }) => videos.some(({ id, state }) => id === 'film' && state === 'invalid'));
    const { scenes, form, card } = await detail();
    expect(scenes.map(({ id, problems }) => [id, problems.map(({ code }) => code)])).toEqual([
      ['small', ['text_too_long']],
      ['product/lamp', []],
      ['product/chair', []],
    ]);
    const headline = form.find(({ scene, key }) => scene === 'small' && key === 't_01')!;
    expect(headline).toMatchObject({ value: LONG, problems: [{ code: 'text_too_long' }] });
    expect(card.problems).toContainEqual(headline.problems[0]);
    writeFileSync(join(root, 'videos/film.yaml'), written);
    await page.until(({ videos }) => videos.some(({ id, state }) => id === 'film' && state !== 'invalid'));
  });

  it('keeps the cells of its rows, so that a value can be mended where it is typed', async () => {
    const cell = { path: 'data/products.csv', row: 1, column: 'name' };
    const write = (value: string) => page.post('/api/rows', { path: cell.path, cells: [{ ...cell, value }] });
    await write(LONG);
    const { scenes, form } = await detail();
    const headline = form.find(({ scene, key }) => scene === 'product/chair' && key === 't_01')!;
    expect(headline).toMatchObject({ cell, isEditable: true, problems: [{ code: 'text_too_long' }] });
    expect(scenes.find(({ id }) => id === 'product/chair')!.problems).toMatchObject([{ code: 'text_too_long' }]);
    expect((await write('Chair')).json).toMatchObject({ problems: [] });
    expect((await detail()).card.state).not.toBe('invalid');
  });
});

describe('sounds of scenes', () => {
  const wav = (seconds: number): Buffer => stereoWav(8_000, new Float64Array(seconds * 8_000));

  it('end where they end, and have what is cut off and what is repeated', async () => {
    writeFiles(root, {
      'videos/short.wav': wav(0.5),
      'videos/long.wav': wav(3),
      'videos/damaged.wav': 'RIFF',
      'videos/sounds.yaml': `title: Sounds
resources: { c_01: "#EEADA7", t_01: Spring }
audio: { music: { source: ./long.wav, trim_start_time: 0.25 } }
scenes:
  - id: a
    template: small
    audio:
      voice: ./short.wav
      noise: { source: ./short.wav, loop: true }
      late: { source: ./short.wav, start: 0.75, overrun: true }
  - { id: b, template: small, audio: { voice: ./long.wav, other: ./damaged.wav } }
`,
    });
    await page.until(({ videos }) => videos.some(({ id }) => id === 'sounds'));
    const { sounds } = await page.json<VideoDetail>('/api/video?id=sounds');
    const named = Object.fromEntries(
      sounds.map(({ name, scene, from, to, cutSeconds, passSeconds }) => [
        `${scene}.${name}`,
        { from, to, cutSeconds, passSeconds },
      ]),
    );
    expect(named).toEqual({
      'null.music': { from: 0, to: 2, cutSeconds: 0.75, passSeconds: null },
      'a.late': { from: 0.75, to: 1.25, cutSeconds: 0, passSeconds: null },
      'a.noise': { from: 0, to: 1, cutSeconds: 0, passSeconds: 0.5 },
      'a.voice': { from: 0, to: 0.5, cutSeconds: 0, passSeconds: null },
      'b.other': { from: 1, to: 2, cutSeconds: null, passSeconds: null },
      'b.voice': { from: 1, to: 2, cutSeconds: 2, passSeconds: null },
    });
  });
});

describe('edits of scenes', () => {
  it('change a value and a length on their lines alone', async () => {
    const changes = [
      { path: ['scenes', '0', 'resources', 't_01'], value: 'Summer' },
      { path: ['scenes', '0', 'duration'], value: 3.5 },
    ];
    const { json } = await page.post('/api/edit', { id: 'film', changes });
    const edited = FILM.replace(
      '{ t_01: Spring } # the headline',
      '{ t_01: Summer } # the headline\n    duration: 3.5',
    );
    expect(text()).toBe(edited);
    expect((await detail()).scenes[0]).toMatchObject({ seconds: 3.5, why: 'set to 3.5 s' });
    await page.post('/api/undo', { undo: (json as EditAnswer).undo });
    expect(text()).toBe(FILM);
  });

  it('move, add and remove scenes, and keep comments; undo restores the bytes', async () => {
    const moved = await edit({ kind: 'move', from: 0, to: 1 });
    expect((await detail()).scenes.map(({ id }) => id)).toEqual(['product/lamp', 'product/chair', 'small']);
    expect(text().split('\n').sort()).toEqual(FILM.split('\n').sort());
    await page.post('/api/undo', { undo: moved.undo });

    const added = await edit({ kind: 'add', index: 1, template: 'small' });
    expect(added.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect((await detail()).scenes.map(({ id }) => id)).toEqual(['small', 'small-2', 'product/lamp', 'product/chair']);
    await edit({ kind: 'remove', index: 1 });
    expect(text()).toBe(FILM);
  });

  it('are refused where there is no such scene or template', async () => {
    const wrong: SceneListRequest['edit'][] = [
      { kind: 'remove', index: 3 },
      { kind: 'move', from: 0, to: -1 },
    ];
    for (const change of wrong) {
      expect(await page.post('/api/scenes', { id: 'film', edit: change })).toMatchObject({ status: 400 });
    }
    const unknown = { kind: 'add', index: 0, template: 'lost' };
    expect(await page.post('/api/scenes', { id: 'film', edit: unknown })).toMatchObject({ status: 404 });
    expect(await page.post('/api/scenes', { id: 'berlin', edit: wrong[0] })).toMatchObject({ status: 400 });
    expect(text()).toBe(FILM);
  });
});
