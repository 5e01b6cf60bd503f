import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTokenAdmin } from '../../../src/service/server/admin-socket/admin-client.ts';
import { startAdminServer } from '../../../src/service/server/admin-socket/admin-server.ts';
import { SILENT_LOG } from '../../../src/service/server/log.ts';
import { SCOPES } from '../../../src/service/server/ports.ts';
import { putDatabase } from '../../support/databases.ts';
import { makeFolder } from '../../support/repository.ts';
import { type Ran, reelform } from '../../support/test-io.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

describe('reelform token', () => {
  let root: string;
  // Each call comes a second after the previous one.
  let now = NOW;
  const run = (...args: string[]): Promise<Ran> => {
    now += 1000;
    return reelform(root, ['token', ...args], { now });
  };

  let tokens: Awaited<ReturnType<typeof openTokenAdmin>>;
  // Starts the server that holds the database: requests to it are faster than opening the database for each call.
  beforeAll(async () => {
    root = makeFolder({ 'reelform.yaml': 'templates: {}\n', 'videos/deep/berlin.yaml': '' });
    const directory = join(root, '.reelform/server');
    await putDatabase(directory);
    tokens = await openTokenAdmin({ directory, databaseUrl: null, log: SILENT_LOG, now: () => now });
    const server = await startAdminServer({ directory, tokens, status: () => ({}) });
    return async () => {
      await server.close();
      await tokens.close();
    };
  });

  it('creates, lists and revokes tokens of the repository', async () => {
    expect(await run('list')).toEqual({ exitCode: 0, stdout: 'There are no tokens.\n', stderr: '' });

    const made = await run('create', '-C', 'videos/deep');
    expect(made).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^rf_[\w-]{43}\n$/) });
    expect(made.stderr).toMatch(
      /^Token tok_[\w-]{16} of the tenant default: all scopes; it does not expire\. The token is only shown once\.\n$/,
    );

    const second = await run(
      ...['create', '--tenant', 'acme', '--name', 'CI of the shop', '--expires', '30', '--json'],
      ...['--scope', 'render_session:read', '--scope', 'render_session:write'],
    );
    const { token, ...row } = JSON.parse(second.stdout) as { token: string; id: string };
    expect(second).toMatchObject({ exitCode: 0, stderr: '' });
    expect(row).toEqual({
      format_version: '1.0',
      id: expect.stringMatching(/^tok_/),
      tenant: 'acme',
      name: 'CI of the shop',
      scopes: ['render_session:read', 'render_session:write'],
      state: 'valid',
      created_at: '2026-03-01T12:00:03.000Z',
      expires_at: '2026-03-31T12:00:03.000Z',
      revoked_at: null,
      last_used_at: null,
    });

    expect(await run('revoke', row.id)).toEqual({ exitCode: 0, stdout: `Revoked ${row.id}.\n`, stderr: '' });
    const [first] = (JSON.parse((await run('list', '--json')).stdout) as { tokens: { id: string; scopes: string[] }[] })
      .tokens;
    expect(first?.scopes).toEqual(SCOPES);
    const listed = await run('list');
    expect(listed.stdout).toBe(`ID                    TENANT   STATE    CREATED     EXPIRES     LAST USED  NAME
${first?.id}  default  valid    2026-03-01  never       never
${row.id}  acme     revoked  2026-03-01  2026-03-31  never      CI of the shop
`);
    expect(listed.stdout).not.toContain(token);
    await run('create', '--name', 'short', '--expires', '1');
    const later = await reelform(root, ['token', 'list'], { now: NOW + 2 * 86_400_000 });
    expect(later.stdout).toMatch(/default {2}expired {2}2026-03-01 {2}2026-03-02 {2}never {6}short\n$/);
  });

  it('uses the server that holds the database', async () => {
    expect(await run('create', '--name', 'through')).toMatchObject({ exitCode: 0 });
    expect((await tokens.list()).at(-1)).toMatchObject({ name: 'through', tenant: 'default' });
  });

  it('opens the database itself without a server, in the configured folder', async () => {
    const other = makeFolder({ 'reelform-server.yaml': 'data: ./elsewhere\n' });
    await putDatabase(join(other, 'elsewhere'));
    expect(await reelform(other, ['token', 'create'])).toMatchObject({ exitCode: 0 });
    const told = (...flags: string[]) => reelform(other, ['token', 'list', '--json', ...flags]);
    const count = async (...flags: string[]): Promise<number> =>
      (JSON.parse((await told(...flags)).stdout) as { tokens: unknown[] }).tokens.length;
    expect(await count('--data', 'elsewhere')).toBe(1);
    expect(await count('--config', 'reelform-server.yaml')).toBe(1);
  });

  it.each([
    [['revoke', 'tok_none'], 'unknown_token'],
    [['create', '--tenant', 'Not A Name'], 'settings_invalid'],
    [['create', '--scope', 'everything'], 'settings_invalid'],
    [['create', '--expires', '0'], 'whole number'],
    [['create', '--config', 'none.yaml'], 'file_system'],
    [['lst'], 'unknown command'],
  ])('explains the error in %j and exits with 1', async (args, expected) => {
    const { exitCode, stdout, stderr } = await run(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain(expected);
    expect(stderr).not.toContain('Internal error');
  });

  it('reports errors in settings with their location, but never the password of the database', async () => {
    const folder = makeFolder({
      'reelform-server.yaml': 'database_url: postgres://me:canary@db/x\nport: many\n',
    });
    const { exitCode, stderr } = await reelform(folder, ['token', 'list'], { env: { REELFORM_CONCURRENCY: '65' } });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('reelform-server.yaml:2:7');
    expect(stderr).toContain('REELFORM_CONCURRENCY must be a whole number from 0 to 64');
    expect(stderr).not.toContain('canary');
  });
});
