import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Credential, isAllowed, mayBeAllowed } from '../../../src/contract/destinations/credential.ts';
import {
  type DestinationAddress,
  fillDestination,
  formatDestination,
  parseDestination,
  SERVICE_PLACEHOLDERS,
} from '../../../src/contract/destinations/destination-address.ts';

function targetOf(to: string, placeholders: readonly string[] = []): DestinationAddress {
  const parsed = parseDestination(to, placeholders);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return parsed.target;
}

describe('parseDestination()', () => {
  it.each<[string, DestinationAddress]>([
    ['s3://videos/a b/ü #1.mp4', { kind: 's3', bucket: 'videos', key: 'a b/ü #1.mp4' }],
    ['gs://my_videos/a%2Fb', { kind: 'gs', bucket: 'my_videos', key: 'a%2Fb' }],
    ['azblob://acme/$web/v/1.mp4', { kind: 'azblob', account: 'acme', container: '$web', key: 'v/1.mp4' }],
    [
      'wasbs://v-1@acme.blob.core.windows.net/a/1.mp4',
      { kind: 'azblob', account: 'acme', container: 'v-1', key: 'a/1.mp4' },
    ],
    ['file:out/1.mp4', { kind: 'file', path: 'out/1.mp4' }],
    ['file:./out/1.mp4', { kind: 'file', path: 'out/1.mp4' }],
    ['file:///srv/1.mp4', { kind: 'file', path: '/srv/1.mp4' }],
  ])('reads %s', (to, target) => {
    expect(parseDestination(to)).toEqual({ ok: true, target });
    expect(parseDestination(formatDestination(target))).toEqual({ ok: true, target });
  });

  it.each([
    '',
    'videos/1.mp4',
    'https://videos.s3.amazonaws.com/1.mp4',
    'S3://videos/1.mp4',
    's3:videos/1.mp4',
    'wasbs://videos@acme.blob.core.windows.net',
    'wasbs://videos@acme.blob.core.windows.net.example.com/1.mp4',
    'wasbs://videos@acme.example.com/1.mp4',
    'wasbs://videos@a.b.blob.core.windows.net/1.mp4',
    'wasbs://a@b@acme.blob.core.windows.net/1.mp4',
    'wasbs://videos@acme.blob.core.windows.net/../1.mp4',
    'wasb://videos@acme.blob.core.windows.net/1.mp4',
    's3://videos',
    's3://videos/',
    's3://Videos/1.mp4',
    's3://a..b/1.mp4',
    's3://user:password@videos/1.mp4',
    's3://videos/a//1.mp4',
    's3://videos//1.mp4',
    's3://videos/../other/1.mp4',
    's3://videos/a/./1.mp4',
    's3://videos/a/..',
    's3://videos/a\\..\\1.mp4',
    's3://videos/1.mp4?X-Amz-Signature=1',
    's3://videos/1\n.mp4',
    's3://videos/\0',
    's3://videos/\ud800',
    's3://videos/{title}.mp4',
    `s3://videos/${'ü'.repeat(513)}`,
    'azblob://acme/1.mp4',
    'azblob://acme/videos',
    'azblob://acme/a--b/1.mp4',
    'file:',
    'file:../1.mp4',
    'file:/srv/../etc/passwd',
    'file://host/1.mp4',
    'file:////host/1.mp4',
  ])('rejects %j', (to) => {
    expect(parseDestination(to).ok).toBe(false);
  });

  it('accepts placeholders and directories where the caller allows them', () => {
    for (const to of ['s3://videos/{date}/{title}.{extension}', 's3://videos/a/', 's3://videos', 'file:{title}']) {
      expect(parseDestination(to, SERVICE_PLACEHOLDERS).ok).toBe(true);
    }
    const parsed = parseDestination('s3://videos/{titl}.mp4', SERVICE_PLACEHOLDERS);
    expect(parsed.ok ? null : parsed.problem.hint).toBe('Did you mean {title}?');
    for (const to of ['s3://{title}/1.mp4', 's3://videos/{title', 's3://videos/a//{title}', 's3://videos//']) {
      expect(parseDestination(to, SERVICE_PLACEHOLDERS).ok).toBe(false);
    }
  });
});

describe('fillDestination()', () => {
  const values = { sessionId: 'rs_1', title: 'Ü: 1/2', extension: 'webm', createdAt: Date.UTC(2026, 0, 2, 23) };

  it.each([
    ['s3://videos/{date}/{title}.{extension}', 's3://videos/2026-01-02/Ü- 1-2.webm'],
    ['s3://videos/a/', 's3://videos/a/rs_1.webm'],
    ['s3://videos', 's3://videos/rs_1.webm'],
    ['gs://videos/', 'gs://videos/rs_1.webm'],
    ['azblob://acme/videos', 'azblob://acme/videos/rs_1.webm'],
    ['file:out/', 'file:out/rs_1.webm'],
    ['file:out', 'file:out'],
  ])('turns %s into %s', (to, filled) => {
    expect(fillDestination(to, values)).toBe(filled);
  });

  it('keeps the title inside its own path segment and never expands it as a placeholder', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (title) => {
        const target = targetOf(fillDestination('s3://videos/a/{title}/{session_id}', { ...values, title }));
        expect((target as { key: string }).key.split('/')).toEqual(['a', expect.stringMatching(/./), 'rs_1']);
      }),
    );
    expect(fillDestination('s3://videos/{title}', { ...values, title: '../{session_id}' })).toBe(
      's3://videos/- session_id',
    );
  });
});

describe('isAllowed()', () => {
  const credential: Credential = {
    kind: 's3',
    name: 'main',
    allow: ['s3://videos/', 's3://shared/public', 's3://shared/more/'],
    publicUrl: null,
    tenants: null,
    endpoint: null,
    region: null,
    pathStyle: false,
    keys: null,
  };
  const folder: Credential = {
    kind: 'file',
    name: 'disk',
    allow: ['file:out', 'file:/srv/videos/'],
    publicUrl: null,
    tenants: null,
    directory: '/data',
  };

  it.each<[boolean, string, Credential]>([
    [true, 's3://videos/1.mp4', credential],
    [false, 's3://videos-other/1.mp4', credential],
    [true, 's3://shared/public/1.mp4', credential],
    [true, 's3://shared/public', credential],
    [false, 's3://shared/more', credential],
    [false, 's3://shared/public-other/1.mp4', credential],
    [false, 's3://shared/Public/1.mp4', credential],
    [false, 'gs://videos/1.mp4', credential],
    [true, 's3://anything/1.mp4', { ...credential, allow: null }],
    [true, 'file:out/1.mp4', folder],
    [true, 'file:/data/out/1.mp4', folder],
    [true, 'file:/srv/videos/1.mp4', folder],
    [false, 'file:/srv/videos', folder],
    [false, 'file:outside/1.mp4', folder],
    [false, 'file:/etc/cron.d/1', folder],
  ])('returns %s for %s', (answer, to, by) => {
    expect(isAllowed(targetOf(to), by)).toBe(answer);
  });

  it.each<[boolean, string, Credential]>([
    [true, 's3://videos/{id}', credential],
    [true, 's3://shared/{id}', credential],
    [true, 's3://shared/pub{id}', credential],
    [true, 's3://shared/', credential],
    [true, 's3://shared/more/deep/{id}', credential],
    [false, 's3://shared/private/{id}', credential],
    [false, 's3://shared/more', credential],
    [false, 'gs://videos/{id}', credential],
    [true, 's3://anything/{id}', { ...credential, allow: null }],
    [true, 'file:o{id}', folder],
    [true, 'file:out/', folder],
    [false, 'file:outside/{id}', folder],
  ])('mayBeAllowed() returns %s for %s', (answer, to, by) => {
    expect(mayBeAllowed(targetOf(to, ['id']), by)).toBe(answer);
  });
});
