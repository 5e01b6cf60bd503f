import { chmod } from 'node:fs/promises';
import { platform } from 'node:os';
import fastify from 'fastify';
import { parseJson } from '../../../kernel/json.ts';
import { readNewToken, type TokenAdmin } from './new-token.ts';
import { createSocketPath } from './socket-path.ts';

interface AdminServerOptions {
  /** Data folder whose database this process holds; absolute. */
  readonly directory: string;
  readonly tokens: TokenAdmin;
  /** Returns facts about the server, for example its URL. */
  status(): Readonly<Record<string, unknown>>;
}

/**
 * Lets other commands of the same user create and revoke tokens while this process holds the database. Serves HTTP over
 * a socket that only this user can open, `control.sock` in the data folder.
 */
export async function startAdminServer(options: AdminServerOptions): Promise<{ close(): Promise<void> }> {
  const { path, remove } = await createSocketPath(options.directory);
  const app = createApp(options);
  await app.listen({ path });
  if (platform() !== 'win32') await chmod(path, 0o600);
  return {
    async close() {
      await app.close();
      await remove();
    },
  };
}

function createApp({ tokens, status }: AdminServerOptions) {
  const app = fastify({ bodyLimit: 64 << 10, requestTimeout: 10_000, forceCloseConnections: true });
  // The client names no content type, and `readNewToken` rejects a body that is not JSON.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, async (_: unknown, text: string) => parseJson(text));
  app.get('/status', async () => status());
  app.get('/tokens', async () => ({ tokens: await tokens.list() }));
  app.post('/tokens', async ({ body }, reply) => {
    const read = readNewToken(body);
    if ('problems' in read) return reply.code(422).send(read);
    return reply.code(201).send(await tokens.create(read.token));
  });
  app.delete<{ Params: { id: string } }>('/tokens/:id(^[\\w-]+$)', async ({ params }) => {
    return { revoked: await tokens.revoke(params.id) };
  });
  app.setNotFoundHandler(async ({ method, url }, reply) => {
    return reply.code(404).send({ problems: [`Unknown route ${method} ${url}`] });
  });
  app.setErrorHandler(async ({ statusCode = 500, message }: { statusCode?: number; message: string }, _, reply) => {
    return reply.code(statusCode).send({ problems: [statusCode < 500 ? message : 'Internal error'] });
  });
  return app;
}
