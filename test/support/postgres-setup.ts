import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL that answers each POST with the connection string of a private database, migrated and empty. */
    readonly postgres: string;
  }
}

/**
 * Provides one PostgreSQL for all test files of a run. It starts when a file first requests a database, over HTTP
 * because files run in separate processes, and stops with the run.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  let opened: ReturnType<typeof openPostgres> | undefined;
  const server = createServer(async (_, response) => {
    try {
      opened ??= openPostgres();
      const { postgres, template } = await opened;
      response.end(await postgres.createDatabase(template));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  provide('postgres', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    await (await opened)?.postgres.stop();
  };
}

async function openPostgres() {
  const [{ makePostgresServer }, { openDatabase }, { migrate }, { SILENT_LOG }] = await Promise.all([
    import('./postgres-server.ts'),
    import('../../src/service/server/store/open-database.ts'),
    import('../../src/service/server/migrate.ts'),
    import('../../src/service/server/log.ts'),
  ]);
  const postgres = makePostgresServer();
  const template = await postgres.createDatabase();
  const database = await openDatabase({ url: template, directory: '', log: SILENT_LOG });
  await migrate(database, SILENT_LOG);
  await database.close();
  return { postgres, template };
}
