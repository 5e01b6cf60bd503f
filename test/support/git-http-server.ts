import { spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import type { GitRepository } from './git-repository.ts';
import { startServer } from './http-server.ts';

export interface GitHttpServer {
  /** Base URL without a trailing slash. The repository is below it, under any name. */
  readonly url: string;
  /** Password sent with each request; null for a request without one. */
  readonly passwords: (string | null)[];
}

/**
 * Serves a bare repository through git's own HTTP backend, like a private repository at GitHub: requests without the
 * job's token are refused.
 */
export async function startGitHttp(remote: GitRepository, token: string): Promise<GitHttpServer> {
  const passwords: (string | null)[] = [];
  const server = await startServer((request, response) => {
    const { authorization = '', ...headers } = request.headers;
    const [user, password] = Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
      .toString()
      .split(':');
    passwords.push(password ?? null);
    if (user !== 'x-access-token' || password !== token) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' }).end();
      return;
    }
    const { pathname, searchParams } = new URL(request.url!, server.url);
    const backend = spawn('git', ['-c', 'http.receivepack=true', 'http-backend'], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: remote.root,
        GIT_HTTP_EXPORT_ALL: '1',
        REMOTE_USER: user,
        REQUEST_METHOD: request.method,
        PATH_INFO: pathname.replace(/^\/[^/]+/, ''),
        QUERY_STRING: searchParams.toString(),
        CONTENT_TYPE: headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
        GIT_PROTOCOL: `${headers['git-protocol'] ?? ''}`,
      },
    });
    request.pipe(backend.stdin);
    const chunks: Buffer[] = [];
    backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    backend.on('close', () => {
      const answer = Buffer.concat(chunks);
      const end = answer.indexOf('\r\n\r\n');
      for (const line of answer.subarray(0, end).toString().split('\r\n')) {
        const [name = '', value = ''] = line.split(': ', 2);
        if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
        else response.setHeader(name, value);
      }
      response.end(answer.subarray(end + 4));
    });
  });
  onTestFinished(() => server.close());
  return { url: server.url, passwords };
}
