import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { platform, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { sha256 } from '../../../kernel/digest.ts';
import { nullIfMissing } from '../../../kernel/file-system-error.ts';
import { isRecord, parseJson } from '../../../kernel/json.ts';
import type { TenantId } from '../../sessions/ports.ts';
import { type NewToken, SCOPES, type Scope } from '../ports.ts';
import type { TokenStore } from '../store/token-table.ts';

interface AdminServerOptions {
  /** Data folder whose database this process holds; absolute. */
  readonly directory: string;
  readonly tokens: TokenAdmin;
  /** Returns facts about the server, for example its URL. */
  status(): Readonly<Record<string, unknown>>;
}

const MAX_BODY_BYTES = 64 << 10;

/**
 * Lets other commands of the same user create and revoke tokens while this process holds the database. Serves HTTP over
 * a socket that only this user can open, `control.sock` in the data folder.
 */
export async function startAdminServer(options: AdminServerOptions): Promise<{ close(): Promise<void> }> {
  const { path, remove } = await createSocketPath(options.directory);
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    const send = (status: number, body: unknown): void => {
      const text = JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(text);
    };
    answer(request, options).then(
      ([status, body]) => send(status, body),
      () => send(500, { problems: ['Internal error'] }),
    );
  });
  await once(server.listen(path), 'listening');
  if (platform() !== 'win32') await chmod(path, 0o600);
  return {
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await remove();
    },
  };
}

async function answer(
  request: IncomingMessage,
  { tokens, status }: AdminServerOptions,
): Promise<[status: number, body: unknown]> {
  const route = `${request.method} ${request.url}`;
  if (route === 'GET /status') return [200, status()];
  if (route === 'GET /tokens') return [200, { tokens: await tokens.list() }];
  if (route === 'POST /tokens') {
    const read = readNewToken(await readBody(request));
    return 'token' in read ? [201, await tokens.create(read.token)] : [422, { problems: read.problems }];
  }
  const id = /^DELETE \/tokens\/([A-Za-z0-9_-]{1,100})$/.exec(route)?.[1];
  if (id !== undefined) return [200, { revoked: await tokens.revoke(id) }];
  return [404, { problems: [`Unknown route ${route}`] }];
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return parseJson(Buffer.concat(chunks).toString());
}

/** Token management for the operator. */
export type TokenAdmin = Pick<TokenStore, 'create' | 'list' | 'revoke'>;

const TENANT = /^[a-z0-9](?:[a-z0-9_-]{0,62})$/;
const MAX_NAME = 100;

/** Validates a request for a new token. Returns the token or all problems. */
export function readNewToken(value: unknown): { readonly token: NewToken } | { readonly problems: readonly string[] } {
  const { tenant, name, scopes, expiresAt } = isRecord(value) ? value : {};
  const problems: string[] = [];
  if (typeof tenant !== 'string' || !TENANT.test(tenant)) {
    problems.push('The name of a tenant must have 1 to 63 lower-case letters, digits, - and _');
  }
  if (typeof name !== 'string' || name.length > MAX_NAME || /[\x00-\x1f\x7f-\x9f]/.test(name)) {
    problems.push(`The name of a token must be a single line of at most ${MAX_NAME} characters`);
  }
  const unknown = Array.isArray(scopes) ? scopes.filter((scope) => !isScope(scope)) : [];
  if (!Array.isArray(scopes) || scopes.length === 0 || unknown.length > 0) {
    const missing = unknown.map((scope) => `There is no scope ${JSON.stringify(scope)}. `);
    problems.push(`${missing.join('')}The scopes are ${SCOPES.join(', ')}`);
  }
  if (expiresAt !== null && (typeof expiresAt !== 'string' || Number.isNaN(Date.parse(expiresAt)))) {
    problems.push('The expiry of a token must be a time or null');
  }
  if (problems.length > 0) return { problems };
  const token = { tenant: tenant as TenantId, name: name as string, scopes: [...new Set(scopes as Scope[])] };
  return { token: { ...token, expiresAt: expiresAt === null ? null : new Date(expiresAt as string).toISOString() } };
}

function isScope(value: unknown): value is Scope {
  return SCOPES.some((scope) => scope === value);
}

/** Maximum length of a socket path in bytes: macOS allows 104 and Linux 108, including the final NUL. */
const MAX_PATH_BYTES = 103;

const TEMPORARY = 'reelform-control-';

/**
 * Returns the path of a data folder's admin socket, or null when there is none.
 *
 * @param directory absolute
 */
export async function findSocketPath(directory: string): Promise<string | null> {
  return fixedPath(directory) ?? (await readAddress(directory));
}

/**
 * Prepares the path at which the server creates its socket. Removes the socket of a killed server: the caller holds the
 * folder's database, so no other server can be listening.
 *
 * @returns the path and a function that removes the socket
 */
async function createSocketPath(directory: string): Promise<{ path: string; remove(): Promise<void> }> {
  const fixed = fixedPath(directory);
  if (fixed !== null) {
    const remove = async (): Promise<void> => {
      // A Windows pipe is not a file: it disappears with its server.
      if (platform() !== 'win32') await rm(fixed, { force: true });
    };
    await remove();
    return { path: fixed, remove };
  }
  await removeTemporary(await readAddress(directory));
  // `mkdtemp` creates the folder with mode 0700, so other users cannot reach the socket.
  const path = join(await mkdtemp(join(tmpdir(), TEMPORARY)), 'control.sock');
  await writeFile(addressFile(directory), path, { mode: 0o600 });
  return {
    path,
    async remove() {
      await rm(addressFile(directory), { force: true });
      await removeTemporary(path);
    },
  };
}

/** Returns null when the folder's own path is too long for a socket. */
function fixedPath(directory: string): string | null {
  if (platform() === 'win32') return `\\\\.\\pipe\\reelform-${sha256(directory).slice(0, 32)}`;
  const path = join(directory, 'control.sock');
  return Buffer.byteLength(path) <= MAX_PATH_BYTES ? path : null;
}

function addressFile(directory: string): string {
  return join(directory, 'control.address');
}

function readAddress(directory: string): Promise<string | null> {
  return nullIfMissing(readFile(addressFile(directory), 'utf8'));
}

async function removeTemporary(path: string | null): Promise<void> {
  if (path === null || !basename(dirname(path)).startsWith(TEMPORARY)) return;
  await rm(dirname(path), { recursive: true, force: true });
}
