import { describe, expect, it } from 'vitest';
import { emptyLock, type LockEntry } from '../../src/lock/lock.ts';
import { notDelivered, observeOutputs } from '../../src/project/observe-outputs.ts';
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

describe('notDelivered()', () => {
  it('misses nothing that was delivered', () => {
    const videos = new Map([
      ['here', entry('renders/c.mp4')],
      ['elsewhere', { ...entry('renders/d.mp4'), deliveries: [{ to: 's3://videos/d.mp4' }] }],
    ]);
    const lock = { ...emptyLock, videos };
    expect([...notDelivered(observeOutputs(makeFolder({}), lock).missing, lock)]).toEqual(['here']);
  });
});

describe('observeOutputs()', () => {
  it('finds the videos whose files are empty, or not as large as they were written', () => {
    const root = makeFolder({
      ...{ 'renders/a.mp4': 'four', 'renders/a.jpg': '', 'renders/b.mp4': 'seven b', 'renders/empty.mp4': '' },
      '.reelform/outputs.ndjson':
        '{"path":"renders/b.mp4","bytes":1,"sha256":"0"}\n{"path":"renders/b.mp4","bytes":7,"sha256":"1"}\n{"path":',
    });
    const sized = (url: string, bytes?: number, stills: string[] = []): LockEntry => ({
      ...entry(url, stills),
      ...(bytes !== undefined && { bytes }),
    });
    const videos = new Map([
      ['as recorded', sized('renders/a.mp4', 4)],
      ['not recorded', sized('renders/a.mp4')],
      ['written here', sized('renders/b.mp4', 12)],
      ['other', sized('renders/a.mp4', 5)],
      ['empty', sized('renders/empty.mp4')],
      ['meant to be empty', sized('renders/empty.mp4', 0)],
      ['still', sized('renders/b.mp4', 12, ['renders/a.jpg'])],
    ]);
    const { missing, damaged, sizes } = observeOutputs(root, { ...emptyLock, videos });
    expect([...missing]).toEqual([]);
    expect([...damaged]).toEqual([
      ['other', 'renders/a.mp4'],
      ['empty', 'renders/empty.mp4'],
      ['meant to be empty', 'renders/empty.mp4'],
      ['still', 'renders/a.jpg'],
    ]);
    // A size at which no plan may take all for whole.
    expect(new Set(sizes.values())).toEqual(new Set([-1]));
  });

  it('finds the videos that lost their file or a still, and leaves URLs alone', () => {
    const root = makeFolder({ 'renders/a.mp4': 'a', 'renders/b.mp4': 'b', 'renders/b.jpg': 'b' });
    const videos = new Map([
      ['there', entry('renders/b.mp4', ['renders/b.jpg'])],
      ['no-video', entry('renders/c.mp4')],
      ['no-still', entry('renders/a.mp4', ['renders/a.jpg'])],
      ['folder', entry('renders')],
      ['remote', entry('https://cdn.example/gone.mp4', ['https://cdn.example/gone.jpg'])],
    ]);
    const { missing } = observeOutputs(root, { ...emptyLock, videos });
    expect([...missing]).toEqual(['no-video', 'no-still', 'folder']);
  });
});
