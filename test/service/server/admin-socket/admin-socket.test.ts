import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectAdminSocket, openTokenAdmin } from '../../../../src/service/server/admin-socket/admin-client.ts';
import { startAdminServer } from '../../../../src/service/server/admin-socket/admin-server.ts';
import { readNewToken, type TokenAdmin } from '../../../../src/service/server/admin-socket/new-token.ts';
import { SILENT_LOG } from '../../../../src/service/server/log.ts';
import { type NewToken, SCOPES, type TokenRecord } from '../../../../src/service/server/ports.ts';
import type { TenantId } from '../../../../src/service/sessions/ports.ts';
import { describeOnDatabases } from '../../../support/databases.ts';
import { temporaryRepository } from '../../../support/temporary-repository.ts';

const NEW: NewToken = { tenant: 'acme' as TenantId, name: 'CI', scopes: SCOPES, expiresAt: null };

/** Token store in memory. */
function memoryTokens(): TokenAdmin {
  const records: TokenRecord[] = [];
  return {
    async create(token) {
      const id = `tok_${records.length + 1}`;
      const record = { ...token, id, createdAt: '2026-01-01T00:00:00.000Z', revokedAt: null, lastUsedAt: null };
      records.push(record);
      return { text: `rf_${id}`, record };
    },
    list: async () => records,
    revoke: async (id) => records.some((record) => record.id === id),
  };
}

async function start(directory: string, tokens = memoryTokens()): Promise<{ close(): Promise<void> }> {
  const server = await startAdminServer({ directory, tokens, status: () => ({ url: 'http://x' }) });
  onTestFinished(() => server.close());
  return server;
}

/** Sends a request that none of our clients would make and returns the socket's answer. */
function ask(socketPath: string, method: string, path: string, body = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, method, path, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

/** Directory whose path is too long for a socket. */
function deepFolder(): string {
  const directory = join(temporaryRepository({}), 'd'.repeat(90));
  mkdirSync(directory);
  return directory;
}

describe('the admin socket', () => {
  it.each([
    ['in the data folder', () => temporaryRepository({})],
    ['in the temporary folder, where the path would be too long', deepFolder],
  ])('creates, lists and revokes tokens for its owner only: %s', async (_, folder) => {
    const directory = folder();
    expect(await connectAdminSocket(directory)).toBeNull();
    const server = await start(directory);
    const client = (await connectAdminSocket(directory))!;
    expect(await client.status()).toEqual({ url: 'http://x' });
    expect(await client.create(NEW)).toMatchObject({ text: 'rf_tok_1', record: { id: 'tok_1', tenant: 'acme' } });
    expect(await client.list()).toMatchObject([{ id: 'tok_1', scopes: SCOPES }]);
    expect([await client.revoke('tok_1'), await client.revoke('tok_2')]).toEqual([true, false]);
    const address = join(directory, 'control.address');
    const path = existsSync(address) ? readFileSync(address, 'utf8') : join(directory, 'control.sock');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await server.close();
    expect([path, address].filter((one) => existsSync(one))).toEqual([]);
    expect(await connectAdminSocket(directory)).toBeNull();
  });

  it('rejects any other request', async () => {
    const directory = temporaryRepository({});
    await start(directory);
    const path = join(directory, 'control.sock');
    expect(await ask(path, 'GET', '/v2/render_sessions')).toBe(404);
    expect(await ask(path, 'DELETE', '/tokens/..%2F')).toBe(404);
    expect(await ask(path, 'PUT', '/tokens')).toBe(404);
    expect(await ask(path, 'POST', '/tokens', 'no JSON')).toBe(422);
    expect(await ask(path, 'POST', '/tokens', JSON.stringify({ ...NEW, scopes: ['all'] }))).toBe(422);
    expect(await ask(path, 'POST', '/tokens', JSON.stringify({ ...NEW, name: 'x'.repeat(70_000) }))).toBe(413);
  });

  it.each([
    ['in the data folder', () => temporaryRepository({})],
    ['in the temporary folder', deepFolder],
  ])('takes over the socket of a killed server: %s', async (_, folder) => {
    const directory = folder();
    // A process that opens the socket as the server does and then exits without closing it.
    const kill = `
      const { startAdminServer } = await import(${JSON.stringify(join(import.meta.dirname, '../../../../src/service/server/admin-socket/admin-server.ts'))});
      await startAdminServer({ directory: ${JSON.stringify(directory)}, tokens: {}, status: () => ({}) });
      process.kill(process.pid, 'SIGKILL');`;
    const bundle = await killedServer(kill);
    expect(() => execFileSync(process.execPath, ['--input-type=module', '-e', bundle], { stdio: 'ignore' })).toThrow();
    const address = join(directory, 'control.address');
    const left = existsSync(address) ? readFileSync(address, 'utf8') : join(directory, 'control.sock');
    expect(existsSync(left)).toBe(true);
    expect(await connectAdminSocket(directory)).toBeNull();
    await start(directory);
    expect(await (await connectAdminSocket(directory))!.status()).toEqual({ url: 'http://x' });
    if (existsSync(address)) expect(existsSync(dirname(left))).toBe(false);
  });
});

async function killedServer(code: string): Promise<string> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
  return outputFiles[0]!.text;
}

describe('readNewToken()', () => {
  it('names unknown scopes', () => {
    const read = readNewToken({ ...NEW, scopes: ['render_session:read', 'all'] });
    expect(read).toEqual({
      problems: [expect.stringMatching(/^There is no scope "all"\. The scopes are render_session/)],
    });
  });

  it.each([
    [NEW, 0],
    [{ ...NEW, expiresAt: '2027-01-01T00:00:00.000Z' }, 0],
    [{ ...NEW, tenant: 'Acme' }, 1],
    [{ ...NEW, tenant: '' }, 1],
    [{ ...NEW, tenant: 'a'.repeat(64) }, 1],
    [{ ...NEW, name: 'two\nlines' }, 1],
    [{ ...NEW, scopes: [] }, 1],
    [{ ...NEW, scopes: ['render_session:read', 'all'] }, 1],
    [{ ...NEW, expiresAt: 'soon' }, 1],
    [{ ...NEW, expiresAt: undefined }, 1],
    [null, 4],
  ])('for %j reports %d problems', (value, count) => {
    const read = readNewToken(value);
    expect('problems' in read ? read.problems.length : 0).toBe(count);
  });
});

describeOnDatabases('openTokenAdmin()', (databases, kind) => {
  it('uses the database directly, or through the server that holds it', async () => {
    const { url, directory: given } = await databases.address();
    const directory = url === null ? given : temporaryRepository({});
    const now = (): number => Date.parse('2026-01-01T00:00:00Z');
    const options = { directory, databaseUrl: url, log: SILENT_LOG, now };
    const direct = await openTokenAdmin(options);
    const { text, record } = await direct.create(NEW);
    expect(text).toMatch(/^rf_[\w-]{43}$/);
    const refused = await openTokenAdmin(options).then(
      (tokens) => tokens.close(),
      (error: unknown) => error,
    );
    // PostgreSQL accepts several processes, so no server is needed in between.
    if (kind === 'postgres') expect(refused).toBeUndefined();
    else expect(refused).toMatchObject({ code: 'data_in_use', hint: expect.stringContaining('try again') });

    const server = kind === 'postgres' ? null : await start(directory, direct);
    const beside = await openTokenAdmin(options);
    expect(await beside.list()).toEqual([record]);
    expect(await beside.revoke(record.id)).toBe(true);
    await beside.close();
    await server?.close();
    expect((await direct.list())[0]!.revokedAt).toBe('2026-01-01T00:00:00.000Z');
    await direct.close();

    const again = await openTokenAdmin(options);
    expect(await again.list()).toHaveLength(1);
    await again.close();
  });
});
