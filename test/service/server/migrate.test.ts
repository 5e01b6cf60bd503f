import { expect, it } from 'vitest';
import { sha256 } from '../../../src/kernel/digest.ts';
import { MIGRATIONS, migrate } from '../../../src/service/server/migrate.ts';
import { JOB_SCHEMA, JOB_SCHEMA_VERSION } from '../../../src/service/server/queue/queues.ts';
import { openDatabase } from '../../../src/service/server/store/open-database.ts';
import { describeOnDatabases, SILENT, type TestDatabases } from '../../support/databases.ts';

it('published MIGRATIONS are never edited', () => {
  const published = MIGRATIONS.map(({ statements }) => sha256(JSON.stringify(statements)).slice(0, 16));
  expect(published).toMatchInlineSnapshot(`
    [
      "4254deafe0a1b43d",
      "9fc086965767a279",
      "cae7992a7a2df8d9",
      "9468a704151a2541",
      "a00c5bfb42e4e233",
      "fb20f41d9b504336",
      "301acf0a3d598cde",
      "7e00b4d31e9438a4",
      "8eecdccf3cca9340",
      "ed692a36f3237b4d",
      "4681e26a0346263d",
    ]
  `);
});

/** Opens a database without a schema. */
async function openEmpty(databases: TestDatabases) {
  const address = await databases.address();
  const open = (url = address.url) => openDatabase({ ...address, url, log: SILENT });
  const database = await open();
  await database.query(`drop schema reelform cascade`);
  await database.query(`drop schema ${JOB_SCHEMA} cascade`);
  return { url: address.url, database, open };
}

describeOnDatabases('migrate()', (databases, kind) => {
  it.skipIf(kind === 'pglite')('applies each step once when several processes start together', async () => {
    const { database: first, open } = await openEmpty(databases);
    const opened = [first, await open(), await open()];
    await Promise.all(opened.map((database) => migrate(database, SILENT)));
    expect(await first.query('select version, name from reelform.migrations')).toEqual(
      MIGRATIONS.map(({ name }, index) => ({ version: index + 1, name })),
    );
    expect(await first.query(`select version from ${JOB_SCHEMA}.version`)).toEqual([{ version: JOB_SCHEMA_VERSION }]);
    await Promise.all(opened.map((each) => each.close()));
  });

  it('leaves an up-to-date database unchanged', async () => {
    const { database } = await databases.open();
    await migrate(database, SILENT);
    expect(await database.query('select version from reelform.migrations')).toHaveLength(MIGRATIONS.length);
  });

  it('rejects a database written by a newer program with database_newer', async () => {
    const database = await openDatabase({ ...(await databases.address()), log: SILENT });
    await database.query(`insert into reelform.migrations (version, name) values (1000, 'from the future')`);
    await expect(migrate(database, SILENT)).rejects.toMatchObject({ code: 'database_newer' });
    await database.query('delete from reelform.migrations where version = 1000');
    await database.query(`update ${JOB_SCHEMA}.version set version = 1000`);
    await expect(migrate(database, SILENT)).rejects.toMatchObject({ code: 'database_newer' });
    await database.close();
  });

  it.skipIf(kind === 'pglite')('reports database_unavailable when the user may not create a schema', async () => {
    const { url, database: owner, open } = await openEmpty(databases);
    await owner.query(`create role guest login password 'guest'`);
    const guest = await open(url!.replace(/\/\/[^@]+@/, '//guest:guest@'));
    await expect(migrate(guest, SILENT)).rejects.toMatchObject({ code: 'database_unavailable' });
    await guest.close();
    await owner.close();
  });
});
