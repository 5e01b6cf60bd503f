import { expect, test } from 'vitest';
import type { Intent } from '../../../src/reconciler/lock/journal.ts';
import { emptyLock, type Lock } from '../../../src/reconciler/lock/lock.ts';
import { SharedJournal, type Version } from '../../../src/reconciler/lock/shared-journal.ts';
import { entryOf } from './journal-arbitrary.ts';

const ENTRY = entryOf('1');

test('SharedJournal.begin() returns a rendering that another run recorded and dropped since this run began', async () => {
  let text: Version | null = null;
  let lasting: Lock = emptyLock;
  let marks = 0;
  const open = (): SharedJournal =>
    new SharedJournal({
      shared: {
        name: 'journal',
        read: async () => text,
        async write(written, _, mark) {
          text = { commit: mark, text: written };
          return { tip: text, error: null };
        },
      },
      lastingLock: async () => lasting,
      wait: async () => undefined,
      random: () => 0,
      newMark: () => String(++marks),
    });
  const [slow, fast] = [open(), open()];
  await fast.begin(intentOf('other', entryOf('2').fingerprint));
  await slow.refresh();
  const { session, video_url, thumbnails, rendered_at, fingerprint } = ENTRY;
  expect(await fast.begin(intentOf('fast', fingerprint))).toBeNull();
  await fast.append({
    type: 'rendered',
    key: 'fast',
    rendering: { session, video_url, thumbnails, rendered_at },
    at: rendered_at,
  });
  lasting = { ...emptyLock, videos: new Map([['a', ENTRY]]) };
  await fast.compact();
  await slow.refresh();
  expect(slow.state.attempts.has('fast')).toBe(false);
  expect(await slow.begin(intentOf('slow', fingerprint))).toMatchObject({ state: 'rendered', session });
  // A replacement of this very rendering was requested.
  expect(await slow.begin(intentOf('again', fingerprint), ENTRY)).toBeNull();
});

function intentOf(key: string, fingerprint: Intent['fingerprint']): Intent {
  const at = '2026-01-01T00:00:00.000Z';
  return { key, id: 'a', fingerprint, service: 's', style_version: 't', output_name: 'a', body: '{}', run: key, at };
}
