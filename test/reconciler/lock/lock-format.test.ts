import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Code, Diagnostic } from '../../../src/kernel/diagnostic.ts';
import {
  ENTRY_FIELDS,
  emptyLock,
  type Fingerprint,
  type Lock,
  type LockEntry,
} from '../../../src/reconciler/lock/lock.ts';
import { parseLock, serialiseLock } from '../../../src/reconciler/lock/lock-format.ts';
import { lock as anyLock } from './lock-arbitrary.ts';

const ENTRY = {
  fingerprint: `v1:${'4f'.repeat(32)}`,
  title: 'Berlin',
  service: 'embedded',
  template: 'launch',
  style_version: 'tsv_1',
  inputs: { t_01: 'Hello' },
  session: 'rs_1',
  video_url: 'renders/berlin-4f4f4f4f.mp4',
  thumbnails: ['renders/berlin-4f4f4f4f.stillcut_01.jpg'],
  rendered_at: '2026-01-01T00:00:00.000Z',
};

const file = (videos: unknown): string => `${JSON.stringify({ lockfile_version: 1, videos }, null, 2)}\n`;

function refusal(text: string): readonly Diagnostic[] {
  const result = parseLock(text, 'reelform.lock.json');
  if (result.ok) throw new Error('the text was accepted');
  return result.diagnostics;
}

/** Returns the text at the location of the first diagnostic. */
function pointed(text: string): string {
  const at = refusal(text)[0]!.at!;
  return text.slice(at.start, at.end);
}

describe('parseLock()', () => {
  test('reports twenty invalid entries and counts the rest', () => {
    const wrong = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`video-${at}`, { ...ENTRY, title: 7 }]),
    );
    const found = refusal(file(wrong));
    expect(found).toHaveLength(21);
    expect(found.at(-1)).toMatchObject({
      code: 'lock_unreadable',
      message: 'The lockfile cannot be read: 9980 more entries are invalid',
    });
    expect(found[19]!.message).toContain('"video-19"');
  });

  test('reads entries by id', () => {
    const result = parseLock(file({ berlin: ENTRY }), 'reelform.lock.json');
    expect(result.ok && result.value.videos.get('berlin')).toEqual(ENTRY);
  });

  test('keeps unknown fields of entries and of the file', () => {
    const text = JSON.stringify({ lockfile_version: 1, videos: { a: { ...ENTRY, later: [1] } }, moved: { b: 'a' } });
    const result = parseLock(text, 'reelform.lock.json');
    expect(result.ok && result.value.videos.get('a')).toEqual({ ...ENTRY, later: [1] });
    expect(result.ok && result.value.extra).toEqual({ moved: { b: 'a' } });
  });

  test('reads a file with a byte order mark and CRLF line endings', () => {
    expect(parseLock(`\uFEFF${file({ berlin: ENTRY }).replaceAll('\n', '\r\n')}`, 'f').ok).toBe(true);
  });

  test('accepts an entry with the id __proto__', () => {
    const text = file({}).replace('{}', `{"__proto__": ${JSON.stringify(ENTRY)}}`);
    const result = parseLock(text, 'f');
    expect(result.ok && [...result.value.videos.keys()]).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>).title).toBeUndefined();
  });

  const conflict = `{\n<<<<<<< HEAD\n  "lockfile_version": 1,\n=======\n>>>>>>> branch\n`;
  const refused: [string, string, Code][] = [
    ['an empty file', '', 'lock_unreadable'],
    ['white space', ' \n', 'lock_unreadable'],
    ['half a file', file({ berlin: ENTRY }).slice(0, 300), 'lock_unreadable'],
    ['another JSON value', '[]', 'lock_unreadable'],
    ['null', 'null', 'lock_unreadable'],
    ['YAML', 'videos:\n  berlin: 1\n', 'lock_unreadable'],
    ['no version', '{"videos": {}}', 'lock_unreadable'],
    ['a version that is a string', '{"lockfile_version": "1", "videos": {}}', 'lock_unreadable'],
    ['version 0', '{"lockfile_version": 0, "videos": {}}', 'lock_unreadable'],
    ['version 1.5', '{"lockfile_version": 1.5, "videos": {}}', 'lock_unreadable'],
    ['a newer version', '{"lockfile_version": 2, "shards": []}', 'lock_newer'],
    ['no videos', '{"lockfile_version": 1}', 'lock_unreadable'],
    ['a list of videos', '{"lockfile_version": 1, "videos": []}', 'lock_unreadable'],
    ['an entry that is null', file({ berlin: null }), 'lock_unreadable'],
    ['an id that is not well-formed text', file({ '\ud800': ENTRY }), 'lock_unreadable'],
    ['conflict markers', conflict, 'lock_conflict'],
    ['conflict markers with Windows line ends', conflict.replaceAll('\n', '\r\n'), 'lock_conflict'],
    ['markers of a merge with a base', '{\n||||||| 1a2b3c\n', 'lock_conflict'],
  ];
  test.each(refused)('refuses %s', (_, text, code) => {
    expect(refusal(text).map((diagnostic) => diagnostic.code)).toEqual([code]);
  });

  const wrong: [keyof typeof ENTRY | 'labels' | 'protect', unknown][] = [
    ['fingerprint', '4f'.repeat(32)],
    ['fingerprint', `v1:${'4F'.repeat(32)}`],
    ['title', null],
    ['labels', ['a']],
    ['labels', { region: 1 }],
    ['protect', 'yes'],
    ['service', 1],
    ['template', {}],
    ['style_version', false],
    ['inputs', { t_01: null }],
    ['inputs', []],
    ['session', 7],
    ['video_url', null],
    ['video_url', ''],
    ['video_url', '../../x.mp4'],
    ['video_url', 'renders/../../x.mp4'],
    ['video_url', 'renders//x.mp4'],
    ['video_url', 'renders\\..\\x.mp4'],
    ['video_url', 'renders/x\u0000.mp4'],
    ['video_url', 'other/x.mp4'],
    ['video_url', 'javascript:alert(1)'],
    ['thumbnails', 'one'],
    ['thumbnails', [null]],
    ['rendered_at', 'yesterday'],
  ];
  test.each(wrong)('refuses an entry whose %s is %j', (field, value) => {
    const [diagnostic] = refusal(file({ berlin: { ...ENTRY, [field]: value } }));
    expect(diagnostic).toMatchObject({ code: 'lock_unreadable', message: expect.stringContaining(`"${field}"`) });
  });

  test.each(Object.keys(ENTRY))('refuses an entry without %s', (field) => {
    const { [field]: _, ...rest } = ENTRY as Record<string, unknown>;
    expect(ENTRY_FIELDS.get(field)?.required).toBe(true);
    expect(refusal(file({ berlin: rest }))[0]!.code).toBe('lock_unreadable');
  });

  test('reports every invalid entry with its location', () => {
    const text = file({ a: { ...ENTRY, title: 1 }, b: ENTRY, c: {} });
    const diagnostics = refusal(text);
    expect(diagnostics.map(({ at }) => text.slice(at!.start, at!.end))).toEqual(['"a"', '"c"']);
  });

  test('accepts any URL of a service', () => {
    const entry = { ...ENTRY, service: 'https://api.example.com', video_url: 'https://cdn.example.com/x?signature=1' };
    expect(parseLock(file({ berlin: entry }), 'f').ok).toBe(true);
  });

  test('refuses a duplicate id at its second location', () => {
    const text = file({ berlin: ENTRY, oslo: { ...ENTRY, title: 'Another' } }).replace('"oslo"', '"berlin"');
    expect(refusal(text)).toMatchObject([{ code: 'lock_unreadable' }]);
    expect(refusal(text)[0]!.at!.start).toBe(text.lastIndexOf('"berlin"'));
  });

  test('accepts a duplicate identical entry, which git leaves if two branches rendered the same video', () => {
    const text = file({ berlin: ENTRY, oslo: ENTRY }).replace('"oslo"', '"berlin"');
    expect(parseLock(text, 'f')).toEqual(parseLock(file({ berlin: ENTRY }), 'f'));
  });

  test.each([
    ['{"lockfile_version": 1,}', '}'],
    ['{"lockfile_version": oops}', 'o'],
    ['{"a": "b", "c": undefined, "d": "long enough for a snippet"}', 'u'],
    [conflict, '<<<<<<< HEAD'],
  ])('locates the error in %j', (text, there) => {
    expect(pointed(text)).toBe(there);
  });

  test('never throws, for any text', () => {
    const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.constant(file({ berlin: ENTRY })));
    fc.assert(
      fc.property(texts, fc.nat(), fc.string({ unit: 'binary', maxLength: 3 }), (text, at, inserted) => {
        const place = at % (text.length + 1);
        const result = parseLock(text.slice(0, place) + inserted + text.slice(place), 'f');
        if (result.ok) return;
        expect(result.diagnostics.length).toBeGreaterThan(0);
        for (const { at } of result.diagnostics) expect(at!.start).toBeLessThanOrEqual(at!.end);
      }),
    );
  });
});

const schema = JSON.parse(
  await readFile(new URL('../../../schemas/reelform-lock.schema.json', import.meta.url), 'utf8'),
);
const isLockfile = new Ajv({ allErrors: true, strict: true, ownProperties: true }).compile(schema);

const berlin: LockEntry = {
  rendered_at: '2026-01-01T00:00:00.000Z',
  fingerprint: `v1:${'4f'.repeat(32)}` as Fingerprint,
  title: 'Summer — Berlin',
  service: 'embedded',
  template: 'launch',
  style_version: 'tsv_9c41',
  inputs: { t_01: 'Summer', '(Footage)/USER/hero.jpg': `sha256:${'7'.repeat(64)}` },
  session: 'rs_81f2',
  video_url: 'renders/berlin-4f4f4f4f.mp4',
  thumbnails: ['renders/berlin-4f4f4f4f.stillcut_01.jpg'],
};

const lockOf = (videos: Record<string, LockEntry>): Lock => ({ videos: new Map(Object.entries(videos)), extra: {} });

function reparse(text: string): Lock {
  const result = parseLock(text, 'f');
  if (!result.ok) throw new Error(result.diagnostics[0]!.message);
  return result.value;
}

describe('serialiseLock()', () => {
  test('sorts entries by id and writes fields in a fixed order', () => {
    const lock = lockOf({ paris: { ...berlin, labels: { z: '1', a: '2' }, protect: true, thumbnails: [] }, berlin });
    expect(serialiseLock(lock)).toMatchInlineSnapshot(`
      "{
        "lockfile_version": 1,
        "videos": {
          "berlin": {
            "fingerprint": "v1:4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f",
            "title": "Summer — Berlin",
            "service": "embedded",
            "template": "launch",
            "style_version": "tsv_9c41",
            "inputs": {
              "t_01": "Summer",
              "(Footage)/USER/hero.jpg": "sha256:7777777777777777777777777777777777777777777777777777777777777777"
            },
            "session": "rs_81f2",
            "video_url": "renders/berlin-4f4f4f4f.mp4",
            "thumbnails": [
              "renders/berlin-4f4f4f4f.stillcut_01.jpg"
            ],
            "rendered_at": "2026-01-01T00:00:00.000Z"
          },
          "paris": {
            "fingerprint": "v1:4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f",
            "title": "Summer — Berlin",
            "labels": {
              "a": "2",
              "z": "1"
            },
            "protect": true,
            "service": "embedded",
            "template": "launch",
            "style_version": "tsv_9c41",
            "inputs": {
              "t_01": "Summer",
              "(Footage)/USER/hero.jpg": "sha256:7777777777777777777777777777777777777777777777777777777777777777"
            },
            "session": "rs_81f2",
            "video_url": "renders/berlin-4f4f4f4f.mp4",
            "thumbnails": [],
            "rendered_at": "2026-01-01T00:00:00.000Z"
          }
        }
      }
      "
    `);
  });

  test('writes an empty lock', () => {
    expect(serialiseLock(emptyLock)).toBe('{\n  "lockfile_version": 1,\n  "videos": {}\n}\n');
  });

  test('omits empty labels and false protection', () => {
    const silent = { ...berlin, labels: {}, protect: false } as unknown as LockEntry;
    expect(serialiseLock(lockOf({ berlin: silent }))).toBe(serialiseLock(lockOf({ berlin })));
  });

  test('sorts ids by code unit, including numeric ones', () => {
    const lock = { videos: new Map(['b', '9', '10', 'B', 'é', '__proto__'].map((id) => [id, berlin])), extra: {} };
    const ids = [...serialiseLock(lock).matchAll(/^ {4}"(.*)": \{$/gm)].map(([, id]) => id);
    expect(ids).toEqual(['10', '9', 'B', '__proto__', 'b', 'é']);
  });

  test('round-trips through parseLock()', () => {
    fc.assert(
      fc.property(anyLock, (lock) => {
        const back = reparse(serialiseLock(lock));
        expect([...back.videos.keys()].sort()).toEqual([...lock.videos.keys()].sort());
        for (const [id, entry] of lock.videos) expect(back.videos.get(id)).toEqual(JSON.parse(JSON.stringify(entry)));
        expect(back.extra).toEqual(JSON.parse(JSON.stringify(lock.extra)));
      }),
    );
  });

  test('is stable when its output is parsed and serialised again', () => {
    fc.assert(
      fc.property(anyLock, (lock) => {
        const text = serialiseLock(lock);
        expect(serialiseLock(reparse(text))).toBe(text);
      }),
    );
  });

  test('does not depend on the insertion order of entries and fields', () => {
    const backwards = <T extends object>(record: T): T => Object.fromEntries(Object.entries(record).reverse()) as T;
    fc.assert(
      fc.property(anyLock, (lock) => {
        const videos = new Map([...lock.videos].reverse().map(([id, entry]) => [id, backwards(entry)]));
        expect(serialiseLock({ videos, extra: backwards(lock.extra) })).toBe(serialiseLock(lock));
      }),
    );
  });

  test('keeps the bytes of other entries when one is added', () => {
    const blocks = (text: string): string[] => text.match(/^ {4}".*": \{$[\s\S]*?^ {4}\}/gm) ?? [];
    fc.assert(
      fc.property(anyLock, (lock) => {
        const grown = serialiseLock({ ...lock, videos: new Map([...lock.videos, ['an added id', berlin]]) });
        const others = blocks(grown).filter((block) => !block.startsWith('    "an added id"'));
        expect(others).toEqual(blocks(serialiseLock(lock)));
      }),
    );
  });

  test('follows the published schema', () => {
    fc.assert(
      fc.property(anyLock, (lock) => {
        expect(isLockfile(JSON.parse(serialiseLock(lock))), JSON.stringify(isLockfile.errors)).toBe(true);
      }),
    );
  });
});

describe('schemas/reelform-lock.schema.json', () => {
  const { entry } = schema.definitions;

  test('lists the fields that parseLock() knows, in order', () => {
    expect(Object.keys(entry.properties)).toEqual([...ENTRY_FIELDS.keys()]);
    expect(entry.required).toEqual([...ENTRY_FIELDS].filter(([, field]) => field.required).map(([name]) => name));
  });

  test.each([...ENTRY_FIELDS.keys()])('refuses an invalid %s, as parseLock() does', (field) => {
    const wrong = field === 'bytes' ? '1' : 1;
    const text = JSON.stringify({ lockfile_version: 1, videos: { berlin: { ...berlin, [field]: wrong } } });
    expect(isLockfile(JSON.parse(text))).toBe(false);
    expect(parseLock(text, 'f').ok).toBe(false);
  });

  test('refuses a newer version', () => {
    expect(isLockfile({ lockfile_version: 2, videos: {} })).toBe(false);
  });
});
