import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CueChange, EditAnswer } from '../../src/studio/edit-protocol.ts';
import type { VideoDetail } from '../../src/studio/protocol.ts';
import type { CueBlock } from '../../src/studio/timeline-protocol.ts';
import { PreviewClient } from '../support/preview-client.ts';
import { makeRepository } from '../support/repository.ts';

const VTT = `\ufeffWEBVTT - Spring\r
\r
STYLE\r
::cue { color: lime }\r
\r
NOTE checked by Anna\r
\r
intro\r
00:00.500 --> 00:01.500 line:85%\r
<v Anna>Light that\r
lands softly.\r
\r
00:02.000 --> 00:03.000\r
<00:02.000>One <00:02.500>two\r
`;

const FILM = `title: Spring
resources: { c_01: "#EEADA7", t_01: Spring }
captions: {from: ./film.vtt, burn: false, embed: true}
scenes:
  - { id: one, template: small, duration: 2 }
  - id: two
    template: small
    duration: 3
    captions:
      from:
        # spoken by Ben
        - {start: 0.5, end: 1, text: Made to last.} # twice
        - start: 1.5
          end: 2
          text: "Made: here"
`;

let root: string;
let page: PreviewClient;

beforeAll(async () => {
  root = makeRepository({ 'videos/film.yaml': FILM, 'videos/film.vtt': VTT });
  page = await PreviewClient.start(root);
  await page.listen();
});

afterAll(async () => {
  expect(await page.close()).toBe(0);
});

const read = (file: string): string => readFileSync(join(root, 'videos', file), 'utf8');
const cues = async (): Promise<readonly CueBlock[]> => (await page.json<VideoDetail>('/api/video?id=film')).cues;

async function edit(path: string, changes: readonly CueChange[]): Promise<EditAnswer> {
  const { status, json } = await page.post('/api/cues', { id: 'film', path, changes });
  expect({ status, json }).toMatchObject({ status: 200 });
  return json as EditAnswer;
}

async function positionOf(text: string): Promise<number> {
  return (await cues()).find((cue) => cue.text.startsWith(text))!.at!.position;
}

describe('cues of a video', () => {
  it('are those of the video and of its scenes, with their times in the video', async () => {
    const blocks = await cues();
    expect(
      blocks.map(({ scene, origin, start, end, text, at }) => [scene, origin + start, end, text, at?.path]),
    ).toEqual([
      [null, 0.5, 1.5, 'Light that\nlands softly.', 'videos/film.vtt'],
      [null, 2, 3, 'One two', 'videos/film.vtt'],
      ['two', 2.5, 1, 'Made to last.', 'videos/film.yaml'],
      ['two', 3.5, 2, 'Made: here', 'videos/film.yaml'],
    ]);
    expect(blocks[1]).toMatchObject({ hasWords: true, limit: 5 });
  });

  it('have their problems', async () => {
    writeFileSync(join(root, 'videos/film.vtt'), VTT.replace('00:02.000 -->', '00:01.000 -->'));
    await expect.poll(async () => (await cues())[1]!.problems).toMatchObject([{ code: 'cues_overlap' }]);
    expect((await cues())[0]!.problems).toEqual([]);
    writeFileSync(join(root, 'videos/film.vtt'), VTT);
    await expect.poll(async () => (await cues())[1]!.problems).toEqual([]);
  });
});

describe('edits of cues', () => {
  it('change times and text of a file of captions, and no other byte', async () => {
    const position = await positionOf('Light');
    const done = await edit('videos/film.vtt', [{ kind: 'change', position, end: 1.25, text: 'Light\nthat lands.' }]);
    expect(read('film.vtt')).toBe(
      VTT.replace('--> 00:01.500', '--> 00:01.250').replace('Light that\r\nlands softly.', 'Light\r\nthat lands.'),
    );
    expect((await cues())[0]).toMatchObject({ end: 1.25, text: 'Light\nthat lands.' });
    await page.post('/api/undo', { undo: done.undo });
    expect(read('film.vtt')).toBe(VTT);
  });

  it('split and join cues of a file', async () => {
    const position = await positionOf('Light');
    const split = await edit('videos/film.vtt', [
      { kind: 'change', position, end: 1, text: 'Light that' },
      { kind: 'add', after: position, start: 1, end: 1.5, text: 'lands softly.' },
    ]);
    expect((await cues()).slice(0, 2)).toMatchObject([
      { start: 0.5, end: 1, text: 'Light that' },
      { start: 1, end: 1.5, text: 'lands softly.' },
    ]);
    const [first, second] = [await positionOf('Light'), await positionOf('lands')];
    const joined = await edit('videos/film.vtt', [
      { kind: 'change', position: first, end: 1.5, text: 'Light that\nlands softly.' },
      { kind: 'remove', position: second },
    ]);
    expect(read('film.vtt')).toBe(VTT);
    await page.post('/api/undo', { undo: joined.undo });
    await page.post('/api/undo', { undo: split.undo });
    expect(read('film.vtt')).toBe(VTT);
  });

  it('change, split and join cues of a list, and keep its comments', async () => {
    const [first, second] = [await positionOf('Made to'), await positionOf('Made:')];
    const changed = await edit('videos/film.yaml', [
      { kind: 'change', position: first, start: 0.25, text: 'Made to stay.' },
      { kind: 'change', position: second, text: 'Made: there' },
      { kind: 'add', after: second, start: 2, end: 2.5, text: 'The end.' },
    ]);
    expect(read('film.yaml')).toBe(
      FILM.replace('{start: 0.5, end: 1, text: Made to last.}', '{start: 0.25, end: 1, text: Made to stay.}').replace(
        '"Made: here"\n',
        '"Made: there"\n        - start: 2\n          end: 2.5\n          text: The end.\n',
      ),
    );
    const removed = await edit('videos/film.yaml', [{ kind: 'remove', position: await positionOf('The end') }]);
    expect(read('film.yaml')).not.toContain('The end.');
    await page.post('/api/undo', { undo: removed.undo });
    await page.post('/api/undo', { undo: changed.undo });
    expect(read('film.yaml')).toBe(FILM);
  });

  it('are refused for another file, and after a change that the page has not seen', async () => {
    const send = (path: string, position: number) =>
      page.post('/api/cues', { id: 'film', path, changes: [{ kind: 'remove', position }] });
    expect(await send('reelform.yaml', 0)).toMatchObject({ status: 400 });
    expect(await send('videos/film.vtt', 3)).toMatchObject({ status: 409, json: { code: 'conflict' } });
    expect(await send('videos/film.yaml', 3)).toMatchObject({ status: 409, json: { code: 'conflict' } });
    expect([read('film.vtt'), read('film.yaml')]).toEqual([VTT, FILM]);
  });
});
