import { describe, expect, it } from 'vitest';
import { emptyLock, type LockEntry } from '../../src/lock/lock.ts';
import { observeLostOutputs, observeMissingOutputs } from '../../src/project/observe-outputs.ts';
import { makeFolder } from '../support/repository.ts';

const entry = (video_url: string, thumbnails: string[] = []): LockEntry => ({
  fingerprint: 'v1:0' as LockEntry['fingerprint'],
  title: '',
  service: 'embedded',
  template: 'small',
  style_version: 'tsv_1',
  inputs: {},
  session: 'rs_1',
  video_url,
  thumbnails,
  rendered_at: '2026-01-01T00:00:00.000Z',
});

describe('observeLostOutputs()', () => {
  it('misses nothing that was delivered', () => {
    const videos = new Map([
      ['here', entry('renders/c.mp4')],
      ['elsewhere', { ...entry('renders/d.mp4'), deliveries: [{ to: 's3://videos/d.mp4' }] }],
    ]);
    expect([...observeLostOutputs(makeFolder({}), { ...emptyLock, videos })]).toEqual(['here']);
  });
});

describe('observeMissingOutputs()', () => {
  it('finds the videos that lost their file or a still, and leaves URLs alone', () => {
    const root = makeFolder({ 'renders/a.mp4': 'a', 'renders/b.mp4': 'b', 'renders/b.jpg': 'b' });
    const videos = new Map([
      ['there', entry('renders/b.mp4', ['renders/b.jpg'])],
      ['no-video', entry('renders/c.mp4')],
      ['no-still', entry('renders/a.mp4', ['renders/a.jpg'])],
      ['folder', entry('renders')],
      ['remote', entry('https://cdn.example/gone.mp4', ['https://cdn.example/gone.jpg'])],
    ]);
    expect([...observeMissingOutputs(root, { ...emptyLock, videos })]).toEqual(['no-video', 'no-still', 'folder']);
  });
});
