import { expect, it } from 'vitest';
import { describeOnDatabases } from '../../../support/databases.ts';

describeOnDatabases('Database', (databases) => {
  it('returns values in one form', async () => {
    const { database } = await databases.open();
    const [row] = await database.query(
      `select 9007199254740991::bigint as big, $1::timestamptz as time, $2::json as value, $3::text[] as list, null as nothing`,
      ['2026-01-02T03:04:05.678Z', JSON.stringify({ b: [1, '\0', '\ud800'], a: null }), ['x', 'y,"z']],
    );
    expect(row).toEqual({
      big: 9007199254740991,
      time: '2026-01-02T03:04:05.678Z',
      value: { b: [1, '\0', '\ud800'], a: null },
      list: ['x', 'y,"z'],
      nothing: null,
    });
  });

  it('commits or rolls back a transaction as a whole', async () => {
    const { database } = await databases.open();
    await expect(
      database.transaction(async (tx) => {
        await tx.query(`insert into reelform.secrets values ('a', 'b')`);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await database.query('select * from reelform.secrets')).toEqual([]);
    const answer = await database.transaction(async (tx) => {
      await tx.query(`insert into reelform.secrets values ('a', 'b')`);
      return 'yes';
    });
    expect(answer).toBe('yes');
    expect(await database.query('select * from reelform.secrets')).toEqual([{ name: 'a', value: 'b' }]);
  });

  it('continues after a failed statement', async () => {
    const { database } = await databases.open();
    await expect(database.transaction((tx) => tx.query('select 1/0'))).rejects.toMatchObject({ code: '22012' });
    await expect(database.query('select nonsense')).rejects.toMatchObject({ code: '42703' });
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('rejects NUL with a 400', async () => {
    const { database } = await databases.open();
    await expect(database.query('select $1::text', ['a\0b'])).rejects.toMatchObject({
      status: 400,
      code: 'bad_request',
    });
  });
});
