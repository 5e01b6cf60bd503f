import { describe, expect, it } from 'vitest';
import { type CredentialsOptions, parseCredentials } from '../../../src/contract/destinations/parse-credentials.ts';

const SERVER: CredentialsOptions = { isServer: true, directory: '/etc/reelform' };
const EMBEDDED: CredentialsOptions = { isServer: false, directory: '/repository' };

describe('parseCredentials()', () => {
  it('reads credentials that contain no secrets', () => {
    const main = {
      kind: 's3',
      endpoint: 'https://example.r2.cloudflarestorage.com/',
      region: 'auto',
      access_key_id_env: 'R2_KEY',
      secret_access_key_env: 'R2_SECRET',
      path_style: true,
      allow: ['s3://videos/'],
      public_url: 'https://cdn.example.com/v',
    };
    const { credentials, problems } = parseCredentials({ main, own: { kind: 's3' } }, EMBEDDED);
    expect(problems).toEqual([]);
    expect(credentials.get('main')).toEqual({
      kind: 's3',
      name: 'main',
      endpoint: 'https://example.r2.cloudflarestorage.com',
      region: 'auto',
      pathStyle: true,
      keys: {
        accessKeyId: { kind: 'env', name: 'R2_KEY' },
        secretAccessKey: { kind: 'env', name: 'R2_SECRET' },
        sessionToken: null,
      },
      allow: ['s3://videos/'],
      publicUrl: 'https://cdn.example.com/v/',
      tenants: null,
    });
    expect(credentials.get('own')).toMatchObject({ keys: null, allow: null });
  });

  it('resolves secret files on a server relative to the settings file', () => {
    const azure = { kind: 'azblob', account_key_file: 'key', allow: ['azblob://acme/videos'], tenants: ['acme'] };
    expect(parseCredentials({ azure }, SERVER).credentials.get('azure')).toMatchObject({
      accountKey: { kind: 'file', path: '/etc/reelform/key' },
      tenants: ['acme'],
    });
  });

  it('suggests the intended property names even when the kind is misspelt', () => {
    const { problems } = parseCredentials({ main: { knd: 's3', alow: ['s3://bkt/'] } }, SERVER);
    expect(problems.map(({ path, message, hint }) => [path.join('.'), message, hint])).toEqual([
      ['main.knd', 'A credential has no property of this name', 'Did you mean kind?'],
      ['main.alow', 'A credential has no property of this name', 'Did you mean allow?'],
      ['main.kind', 'kind must be one of s3, gs, azblob, file', undefined],
    ]);
  });

  it('reports every problem with its path', () => {
    const { credentials, problems } = parseCredentials(
      {
        'a b': { kind: 's3', allow: ['s3://bkt/'] },
        none: 's3',
        kind: { kind: 'ftp' },
        open: { kind: 's3' },
        half: { kind: 's3', allow: [], access_key_id_env: 'A', region: 'EU West', endpoint: 'https://u:p@h' },
        google: { kind: 'gs', allow: ['s3://b/', 'gs://bkt/../c'] },
        disk: { kind: 'file', allow: ['file:/', 'file:./', 'file:out/'], path_style: true, publik_url: 'x' },
        good: { kind: 'file', allow: ['file:out/'] },
      },
      SERVER,
    );
    expect([...credentials.keys()]).toEqual(['good']);
    expect(problems.map(({ path }) => path.join('.'))).toEqual([
      'a b',
      'none',
      'kind.kind',
      'open',
      'half.allow',
      'half.endpoint',
      'half.region',
      'half',
      'google.allow.0',
      'google.allow.1',
      'google',
      'google',
      'disk.path_style',
      'disk.publik_url',
      'disk.allow.0',
      'disk.allow.1',
    ]);
    expect(problems.find(({ path }) => path[1] === 'publik_url')?.hint).toBe('Did you mean public_url?');
  });

  it('accepts one default of each kind for a tenant', () => {
    const file = { kind: 'file', allow: ['file:out/'], default: true };
    const everybody = { ...file };
    const acme = { ...file, tenants: ['acme'] };
    const fine = parseCredentials({ everybody, acme, off: { ...file, default: false } }, SERVER);
    expect(fine.problems).toEqual([]);
    expect([...fine.credentials.values()].map(({ isDefault = false }) => isDefault)).toEqual([true, true, false]);
    const twice = parseCredentials(
      { everybody, acme, again: everybody, both: { ...file, tenants: ['b', 'acme'] } },
      SERVER,
    );
    expect(twice.problems.map(({ path }) => path)).toEqual([
      ['again', 'default'],
      ['both', 'default'],
    ]);
    expect(parseCredentials({ everybody: { ...file, default: 'yes' } }, SERVER).problems).toHaveLength(1);
    expect(parseCredentials({ everybody }, EMBEDDED).problems.map(({ path }) => path[1])).toEqual(['default']);
  });

  it('rejects server-only properties in a repository', () => {
    const main = { kind: 's3', access_key_id_file: 'id', secret_access_key_env: 'S', tenants: ['acme'] };
    const { problems } = parseCredentials({ main }, EMBEDDED);
    expect(problems.map(({ path }) => path[1])).toEqual(['tenants', 'access_key_id_file']);
  });

  it('never repeats a misplaced secret in a message', () => {
    const canary = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
    const main = {
      kind: 's3',
      access_key_id: canary,
      secret_access_key_env: canary,
      access_key_id_env: 'AKIAIOSFODNN7EXAMPLE',
      region: canary,
      endpoint: canary,
      public_url: `https://h/?X-Amz-Signature=${canary}`,
      allow: [canary],
    };
    const { problems } = parseCredentials({ main }, SERVER);
    expect(problems).toHaveLength(7);
    expect(JSON.stringify(problems)).not.toMatch(/wJalr|AKIAIO/);
  });
});
