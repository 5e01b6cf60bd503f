import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ENTRY_FIELDS, emptyLock, type Fingerprint, type Lock, type LockEntry } from '../../src/lock/lock.ts';
import { parseLock } from '../../src/lock/parse-lock.ts';
import { serialiseLock } from '../../src/lock/serialise-lock.ts';
import { lock as anyLock } from './lock-arbitrary.ts';

const schema = JSON.parse(await readFile(new URL('../../schemas/reelform-lock.schema.json', import.meta.url), 'utf8'));
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
