import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Sha256 } from '../../../src/kernel/digest.ts';
import type { VideoId } from '../../../src/reconciler/definition/video.ts';
import { CacheFile, writeCacheFile } from '../../../src/reconciler/plan-cache/cache-file.ts';
import type { CachedDefinition, CachedState } from '../../../src/reconciler/plan-cache/cached-state.ts';
import { DEFAULT_CONFIG } from '../../../src/reconciler/project/config.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';

const VIDEOS = '[{"title":"Zürich"}]';
const DEFINITION: CachedDefinition = {
  path: 'videos/a\nb.yaml',
  origins: ['videos/a\nb.yaml'],
  assets: ['photo.png'],
  templates: ['launch'],
  ids: ['a\nb' as VideoId],
  leftOut: [],
  texts: [],
  fingerprintPrefixes: [2 ** 48 - 1],
  destinations: [2 ** 32 - 1],
  videos: VIDEOS,
  upToDate: [[31, 70]],
};
const STATE: CachedState = {
  config: DEFAULT_CONFIG,
  templates: new Map([['launch', { diagnostics: [], labels: { t_01: 'Headline' } }]]),
  files: new Map([
    [
      'photo.png',
      { tuple: [1, 2, 3, 4.0625, 5], sha256: 'ab' as Sha256, real: '/elsewhere/photo.png', isTrusted: true },
    ],
  ]),
  folders: new Map([['videos', { tuple: [1, 6, 7, 8, 9], listing: 'cd' as Sha256, isTrusted: false }]]),
  parentDirs: ['data'],
  absent: ['schemas/launch.json'],
  definitions: new Map([[DEFINITION.path, DEFINITION]]),
  lastPlan: { isEmpty: true, lock: null, journal: null, outputs: [['a.mp4', 5]], unmatchedEntries: [['c', 1, 2]] },
};

function writtenCache(): string {
  const path = join(temporaryRepository({}), '.reelform/plan-cache.json');
  writeCacheFile(path, 'key', STATE, null);
  return path;
}

describe('CacheFile', () => {
  it('reads the written state, and its videos on demand', () => {
    const file = CacheFile.open(writtenCache(), 'key')!;
    const state = file.readState()!;
    const { videos } = state.definitions.get(DEFINITION.path)!;
    expect(state).toEqual({ ...STATE, definitions: new Map([[DEFINITION.path, { ...DEFINITION, videos }]]) });
    expect(file.record(videos as Exclude<typeof videos, string>)).toBe(VIDEOS);
    expect([file.head.videoCount, file.head.hasDiagnostics]).toEqual([1, false]);
  });

  it('keeps the videos of definitions that were not read again', () => {
    const path = writtenCache();
    const before = CacheFile.open(path, 'key')!;
    const added: CachedDefinition = { ...DEFINITION, path: 'videos/c.yaml', videos: '[]' };
    const loaded = before.readState()!;
    const definitions = new Map([[added.path, added], ...loaded.definitions]);
    writeCacheFile(path, 'key', { ...loaded, definitions }, before);
    const file = CacheFile.open(path, 'key')!;
    const records = Array.from(file.readState()!.definitions.values(), ({ videos }) => videos);
    expect(records.map((range) => file.record(range as Exclude<typeof range, string>))).toEqual(['[]', VIDEOS]);
  });

  it('returns null for another key, another format, and a missing file', () => {
    const path = writtenCache();
    expect(CacheFile.open(path, 'other')).toBeNull();
    expect(CacheFile.open(`${path}.missing`, 'key')).toBeNull();
    writeFileSync(path, readFileSync(path, 'utf8').replace('plan cache 1', 'plan cache 0'));
    expect(CacheFile.open(path, 'key')).toBeNull();
  });

  it('never uses damaged bytes', () => {
    const path = writtenCache();
    const bytes = readFileSync(path);
    const read = (): string => {
      const file = CacheFile.open(path, 'key');
      const state = file?.readState() ?? null;
      if (file === null || state === null) return 'nothing';
      const records = Array.from(state.definitions.values(), ({ videos }) => file.record(videos as never));
      return JSON.stringify([file.head, state.config, [...state.files], [...state.definitions], records]);
    };
    const whole = read();
    const lost = whole.replace(JSON.stringify(VIDEOS), 'null');
    for (let at = 0; at < bytes.length; at++) {
      const damaged = Buffer.from(bytes);
      damaged[at] = damaged[at]! ^ (1 << (at % 8));
      writeFileSync(path, damaged);
      expect(['nothing', whole, lost]).toContain(read());
      writeFileSync(path, bytes.subarray(0, at));
      expect(['nothing', lost]).toContain(read());
    }
  });
});
