import { expect, test } from 'vitest';
import { trackSounds } from '../../../src/template/bind/track-sounds.ts';

const FILES = new Map([['audio_tracks.music', new Uint8Array(4)]]);
const SPAN = { startSeconds: 0, endSeconds: 4 };

function fadesOf(transform: object, span: object = {}): true | undefined {
  const tracks = { music: { remote_url: 'https://example.com/a.mp3', transform } };
  return trackSounds({ ...SPAN, ...span }, tracks as never, FILES)[0]!.fadesCuts;
}

test('the cuts of a track fade in videos of scenes, and if it has a field of composed videos', () => {
  expect(fadesOf({ loop: true, trim_start_time: 1, volume: 0.5, fade_in: 1 })).toBeUndefined();
  expect(fadesOf({}, { fadesCuts: true })).toBe(true);
  for (const field of [{ level: -16 }, { duck_under: 'voice' }, { start: 0 }, { overrun: true }]) {
    expect(fadesOf(field)).toBe(true);
  }
});
