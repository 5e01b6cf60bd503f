import { expect, test } from 'vitest';
import { recordFindings } from '../../../src/reconciler/apply/refresh-videos.ts';
import { emptyLock } from '../../../src/reconciler/lock/lock.ts';
import { versionOf } from '../../support/lock-branches.ts';

const SOURCES = { 'https://a.test/1.png': '"1"', 'https://a.test/2.png': '"2"' };

test('recordFindings() marks lost videos and updates the versions of changed sources', () => {
  const entry = versionOf('a', 1);
  const lock = {
    ...emptyLock,
    videos: new Map([
      ['changed', { ...entry, sources: SOURCES }],
      ['lost', entry],
      ['other', entry],
    ]),
  };
  const url = entry.video_url;
  const changed = { 'https://a.test/1.png': '"1b"' };
  const found = recordFindings(lock, [
    { id: 'changed', reason: 'asset_changed', what: 'asset_changed', url: 'https://a.test/1.png', changed },
    { id: 'lost', reason: 'url_lost', what: 'video_gone', url, changed: {} },
  ]);
  expect([...found.videos]).toEqual([
    ['changed', { ...entry, sources: { ...SOURCES, ...changed } }],
    ['lost', { ...entry, lost: true }],
    ['other', entry],
  ]);
});
