import { describe, expect, it } from 'vitest';
import { sessionRequest } from '../../../src/reconciler/apply/session-request.ts';
import { localFiles, remoteUrls, sourceOf } from '../../../src/reconciler/definition/video.ts';
import { clip, color, file, font, sound, text, track, url, versions, video } from '../plan/videos.ts';

const urlOf = (path: string): string => `urn:${path}`;
const whole = video('berlin', {
  resources: {
    t_01: text('Hello'),
    c_01: color('EEADA7'),
    i_01: file('a.jpg'),
    i_02: url('https://x.test/b.jpg'),
    v_01: clip('a.mp4', { crop_strategy: 'cover', volume: 1 }),
    a_01: sound('a.mp3'),
    f_01: font('Inter-Bold'),
  },
  audio: new Map([
    ['main', track('a.mp3', { fade_out: 2 })],
    ['voice', { source: { kind: 'url', url: 'https://x.test/v.mp3' }, transform: {} }],
  ]),
  fonts: new Map([['Montserrat-Regular', 'Inter-Regular']]),
  output: { format: 'webm', height: 720 },
});

describe('sessionRequest()', () => {
  it('includes everything that a definition can set', () => {
    expect(sessionRequest(whole, { styleVersions: versions('tsv_1'), scenes: null }, urlOf)).toEqual({
      title: 'The video berlin',
      render: 'preview',
      mapping: {
        template_style_version_id: 'tsv_1',
        resources: {
          t_01: { source: { text: 'Hello' } },
          c_01: { source: { text: 'EEADA7' } },
          i_01: { source: { remote_url: 'urn:a.jpg' }, transform: { crop_strategy: 'cover' } },
          i_02: { source: { remote_url: 'https://x.test/b.jpg' }, transform: { crop_strategy: 'cover' } },
          v_01: { source: { remote_url: 'urn:a.mp4' }, transform: { crop_strategy: 'cover', volume: 1 } },
          a_01: { source: { remote_url: 'urn:a.mp3' } },
          f_01: { source: { font: 'Inter-Bold' } },
        },
        audio_tracks: {
          main: { source: { remote_url: 'urn:a.mp3' }, transform: { fade_out: 2 } },
          voice: { source: { remote_url: 'https://x.test/v.mp3' } },
        },
        font_changes: { 'Montserrat-Regular': { source: { font: 'Inter-Regular' } } },
      },
      output: { format: 'webm', height: 720 },
    });
  });

  it('contains only resources if the video has nothing else', () => {
    const body = sessionRequest(video('berlin'), { styleVersions: versions('tsv_1'), scenes: null }, urlOf);
    expect(JSON.stringify(body)).toBe(
      '{"title":"The video berlin","render":"preview","mapping":{"template_style_version_id":"tsv_1","resources":{"t_01":{"source":{"text":"Hello"}}}}}',
    );
  });
});

describe('sources of a video', () => {
  it('are those of its editables and tracks, without duplicates', () => {
    expect(localFiles(whole)).toEqual(['a.jpg', 'a.mp4', 'a.mp3']);
    expect(remoteUrls(whole)).toEqual(['https://x.test/b.jpg', 'https://x.test/v.mp3']);
  });

  it('are found by the keys that a service uses', () => {
    expect(sourceOf(whole, 'v_01')).toEqual({ kind: 'file', path: 'a.mp4' });
    expect(sourceOf(whole, 'audio_tracks.main')).toEqual({ kind: 'file', path: 'a.mp3' });
    expect(['t_01', 'f_01', 'audio_tracks.x', 'main', 'x'].map((key) => sourceOf(whole, key))).toEqual(
      Array(5).fill(null),
    );
  });
});
