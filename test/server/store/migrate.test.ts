import { expect, it } from 'vitest';
import { sha256 } from '../../../src/digest.ts';
import { JOB_SCHEMA, JOB_SCHEMA_VERSION } from '../../../src/server/queue/install-jobs.ts';
import { migrate } from '../../../src/server/store/migrate.ts';
import { MIGRATIONS } from '../../../src/server/store/migrations.ts';
import { openDatabase } from '../../../src/server/store/open-database.ts';
import { describeOnDatabases, SILENT } from '../../support/databases.ts';

it('MIGRATIONS that were published are not edited', () => {
  const published = MIGRATIONS.map(({ statements }) => sha256(JSON.stringify(statements)).slice(0, 16));
  expect(published).toMatchInlineSnapshot(`
    [
      "4254deafe0a1b43d",
    ]
  `);
});

describeOnDatabases('migrate()', (databases, kind) => {
  it.skipIf(kind === 'pglite')('takes each step once, though several processes begin at once', async () => {
    const address = await databases.address();
    const opened = await Promise.all([1, 2, 3].map(() => openDatabase({ ...address, log: SILENT })));
    await Promise.all(opened.map((database) => migrate(database, SILENT)));
    const [database] = opened;
    expect(await database!.query('select version, name from reelform.migrations')).toEqual(
      MIGRATIONS.map(({ name }, index) => ({ version: index + 1, name })),
    );
    expect(await database!.query(`select version from ${JOB_SCHEMA}.version`)).toEqual([
      { version: JOB_SCHEMA_VERSION },
    ]);
    await Promise.all(opened.map((each) => each.close()));
  });

  it('does nothing to a database that is up to date', async () => {
    const { database } = await databases.open();
    await migrate(database, SILENT);
    expect(await database.query('select version from reelform.migrations')).toHaveLength(MIGRATIONS.length);
  });

  it('refuses a database that a newer program has written, with database_newer', async () => {
    const { database } = await databases.open();
    await database.query(`insert into reelform.migrations (version, name) values (1000, 'from the future')`);
    await expect(migrate(database, SILENT)).rejects.toMatchObject({ code: 'database_newer' });
    await database.query('delete from reelform.migrations where version = 1000');
    await database.query(`update ${JOB_SCHEMA}.version set version = 1000`);
    await expect(migrate(database, SILENT)).rejects.toMatchObject({ code: 'database_newer' });
  });

  it.skipIf(kind === 'pglite')('says database_unavailable when the user may not make a schema', async () => {
    const { url } = await databases.address();
    const owner = await openDatabase({ url, directory: '', log: SILENT });
    await owner.query(`create role guest login password 'guest'`);
    const guest = await openDatabase({
      url: url!.replace(/\/\/[^@]+@/, '//guest:guest@'),
      directory: '',
      log: SILENT,
    });
    await expect(migrate(guest, SILENT)).rejects.toMatchObject({ code: 'database_unavailable' });
    await guest.close();
    await owner.close();
  });
});
