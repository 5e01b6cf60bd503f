import { expect, it } from 'vitest';
import { createTokenTable } from '../../../../src/service/server/store/token-table.ts';
import { describeOnDatabases, type TestDatabases } from '../../../support/databases.ts';
import { ACME, NOW, OTHER } from './sessions.ts';

const NEW = {
  tenant: ACME,
  name: 'ci',
  scopes: ['render_session:read', 'render_session:write'],
  expiresAt: null,
} as const;

async function openTokens(databases: TestDatabases) {
  const clock = { now: NOW };
  const { database } = await databases.open();
  const open = () => createTokenTable({ database, now: () => clock.now });
  return { database, clock, tokens: open(), elsewhere: open() };
}

describeOnDatabases('createTokenTable()', (databases) => {
  it('returns a token once and authenticates it by its text', async () => {
    const { tokens, database } = await openTokens(databases);
    const { text, record } = await tokens.create(NEW);
    expect(text).toMatch(/^rf_[\w-]{43}$/);
    expect(record).toEqual({
      ...NEW,
      id: expect.stringMatching(/^tok_[\w-]{16}$/),
      createdAt: new Date(NOW).toISOString(),
      revokedAt: null,
      lastUsedAt: null,
    });
    expect(await tokens.authenticate(text)).toEqual({
      tokenId: record.id,
      clientId: record.id,
      sessionId: null,
      tenant: ACME,
      scopes: new Set(['render_session:read', 'render_session:write']),
    });
    for (const wrong of ['', 'rf_', text.slice(0, -1), `${text}x`, text.toUpperCase(), 'a\0']) {
      expect(await tokens.authenticate(wrong)).toBeNull();
    }
    expect(JSON.stringify(await database.query('select * from reelform.tokens'))).not.toContain(text.slice(3));
  });

  it('lists all tokens, oldest first', async () => {
    const { tokens, clock } = await openTokens(databases);
    const first = await tokens.create(NEW);
    clock.now++;
    const second = await tokens.create({ ...NEW, tenant: OTHER, expiresAt: new Date(NOW + 5).toISOString() });
    await tokens.revoke(first.record.id);
    expect(await tokens.list()).toEqual([
      { ...first.record, revokedAt: new Date(NOW + 1).toISOString() },
      second.record,
    ]);
  });

  it('rejects a revoked token at once in this process and within 10 s in others', async () => {
    const { tokens, elsewhere, clock } = await openTokens(databases);
    const { text, record } = await tokens.create(NEW);
    await tokens.authenticate(text);
    await elsewhere.authenticate(text);
    expect(await tokens.revoke(record.id)).toBe(true);
    expect(await tokens.authenticate(text)).toBeNull();
    expect(await elsewhere.authenticate(text)).not.toBeNull();
    clock.now += 10_000;
    expect(await elsewhere.authenticate(text)).toBeNull();
    expect(await tokens.revoke('tok_none')).toBe(false);
  });

  it('issues a token that belongs to its client and ends with it', async () => {
    const { tokens, elsewhere, clock, database } = await openTokens(databases);
    const at = (ms: number): string => new Date(NOW + ms).toISOString();
    const client = await tokens.create({ ...NEW, expiresAt: at(5000) });
    const ask = { clientId: client.record.id, scopes: ['render_session:read'], sessionId: null } as const;
    const short = (await tokens.issue({ ...ask, expiresAt: at(1000) }))!;
    const long = (await tokens.issue({ ...ask, expiresAt: at(9000) }))!;
    expect([short.expiresAt, long.expiresAt]).toEqual([at(1000), at(5000)]);
    expect(await tokens.authenticate(long.text)).toMatchObject({
      tenant: ACME,
      clientId: client.record.id,
      scopes: new Set(['render_session:read']),
      sessionId: null,
    });
    expect(JSON.stringify(await database.query('select * from reelform.tokens'))).not.toContain(long.text.slice(3));
    expect((await tokens.list()).map(({ id }) => id)).toEqual([client.record.id]);
    clock.now += 1000;
    expect(await tokens.authenticate(short.text)).toBeNull();
    await elsewhere.revoke(client.record.id);
    expect(await elsewhere.authenticate(long.text)).toBeNull();
    expect(await elsewhere.issue({ ...ask, expiresAt: at(9000) })).toBeNull();
    expect(await elsewhere.issue({ ...ask, clientId: 'tok_none', expiresAt: at(9000) })).toBeNull();
  });

  it('issues no token for an expired client', async () => {
    const { tokens, clock } = await openTokens(databases);
    const { record } = await tokens.create({ ...NEW, expiresAt: new Date(NOW + 1).toISOString() });
    clock.now += 1;
    const expiresAt = new Date(NOW + 9000).toISOString();
    expect(await tokens.issue({ clientId: record.id, scopes: [], expiresAt, sessionId: null })).toBeNull();
  });

  it('rejects a token at the millisecond of its expiry', async () => {
    const { tokens, clock } = await openTokens(databases);
    const { text } = await tokens.create({ ...NEW, expiresAt: new Date(NOW + 1000).toISOString() });
    clock.now += 999;
    expect(await tokens.authenticate(text)).not.toBeNull();
    clock.now += 1;
    expect(await tokens.authenticate(text)).toBeNull();
  });

  it('records the last use of a token to the minute', async () => {
    const { tokens, clock } = await openTokens(databases);
    const { text } = await tokens.create(NEW);
    const used = async () => (await tokens.list())[0]?.lastUsedAt;
    await tokens.authenticate(text);
    expect(await used()).toBe(new Date(NOW).toISOString());
    clock.now += 59_999;
    await tokens.authenticate(text);
    expect(await used()).toBe(new Date(NOW).toISOString());
    clock.now += 10_000;
    await tokens.authenticate(text);
    expect(await used()).toBe(new Date(NOW + 69_999).toISOString());
  });
});
