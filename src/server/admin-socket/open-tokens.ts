import { ReelformError } from '../../diagnostic.ts';
import { migrate } from '../store/migrate.ts';
import { openDatabase } from '../store/open-database.ts';
import { createTokenTable } from '../store/token-table.ts';
import type { Log } from '../telemetry/log.ts';
import { connectControl } from './admin-client.ts';
import type { TokenAdmin } from './token-admin.ts';

export interface OpenTokensOptions {
  /** The data folder, absolute. */
  readonly directory: string;
  readonly databaseUrl: string | null;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  now(): number;
}

/**
 * The tokens of a service: through the server that holds its data folder, while there is one, and else in the database
 * itself. EDGE. PostgreSQL bears several who write, so it is always asked directly.
 *
 * @throws ReelformError `data_in_use` while a server starts or stops; see `openDatabase`
 */
export async function openTokens(options: OpenTokensOptions): Promise<TokenAdmin & { close(): Promise<void> }> {
  const { directory, databaseUrl, log, now } = options;
  const client = databaseUrl === null ? await connectControl(directory) : null;
  if (client !== null) return { ...client, close: async () => undefined };
  const database = await openDatabase({ url: databaseUrl, directory, log }).catch((error: unknown) => {
    if (!(error instanceof ReelformError) || error.code !== 'data_in_use') throw error;
    const hint = 'A server may be starting or stopping: try again in a moment';
    throw new ReelformError('data_in_use', error.message, { hint });
  });
  try {
    await migrate(database, log);
  } catch (error) {
    await database.close();
    throw error;
  }
  const tokens = createTokenTable({ database, now });
  return {
    create: (token) => tokens.create(token),
    list: () => tokens.list(),
    revoke: (id) => tokens.revoke(id),
    close: () => database.close(),
  };
}
