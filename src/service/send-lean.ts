import { Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import type { ReelformError } from '../diagnostic.ts';
import type { AnswerHead, Exchange } from './exchange.ts';
import { MAX_ANSWER_BYTES, tooLarge, unreachable } from './exchange-errors.ts';
import { CONNECT_MS, FRESH, headOf, KEPT, type ServiceRequest, withoutToken } from './send-request.ts';

const keptAgents = { http: new Agent(KEPT), https: new SecureAgent(KEPT) };
const freshAgents = { http: new Agent(FRESH), https: new SecureAgent(FRESH) };

/**
 * `sendRequest` for what is sent a thousand times at once, at a fifth of its cost: sessions and looks at them. EDGE. The
 * same limits and the same answers; nothing packed is asked for.
 */
export function sendLean(request: ServiceRequest): Promise<Exchange> {
  const { method, url, headers, token, body, timeoutMs, idleMs, onNewConnection = false } = request;
  const name = `${method} ${url}`;
  const isSecure = url.startsWith('https:');
  const agents = onNewConnection ? freshAgents : keptAgents;
  return new Promise((resolve) => {
    let wasConnected = false;
    let head: AnswerHead | null = null;
    const sent = (isSecure ? requestHttps : requestHttp)(url, {
      method,
      agent: isSecure ? agents.https : agents.http,
      headers: {
        ...headers,
        authorization: `Bearer ${token}`,
        'accept-encoding': 'identity',
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
    });
    const end = (exchange: Exchange): void => {
      clearTimeout(whole);
      clearTimeout(connecting);
      resolve(exchange);
    };
    const fail = (error: ReelformError, isSilent = false): void => {
      if (head !== null) end({ kind: 'broken', head, error, isSilent });
      else end(wasConnected ? { kind: 'unanswered', error, isSilent } : { kind: 'unsent', error });
      sent.destroy();
    };
    const tooLong = (): void => fail(unreachable(name, 'ETIMEDOUT'), true);
    const whole = setTimeout(tooLong, timeoutMs);
    let connecting: NodeJS.Timeout | undefined;
    sent.on('error', (error) => fail(unreachable(name, (error as NodeJS.ErrnoException).code)));
    sent.setTimeout(idleMs, tooLong);
    sent.once('socket', (socket) => {
      const connected = (): void => {
        clearTimeout(connecting);
        wasConnected = true;
      };
      if (!socket.connecting) {
        connected();
        return;
      }
      connecting = setTimeout(tooLong, CONNECT_MS);
      socket.once(isSecure ? 'secureConnect' : 'connect', connected);
    });
    sent.once('response', (response: IncomingMessage) => {
      const status = response.statusCode ?? 0;
      head = headOf(status, response.headers, token);
      const chunks: Uint8Array[] = [];
      let sizeBytes = 0;
      const body = unpacked(response);
      body.on('data', (chunk: Uint8Array) => {
        sizeBytes += chunk.byteLength;
        if (sizeBytes > MAX_ANSWER_BYTES) fail(tooLarge(name));
        else chunks.push(chunk);
      });
      for (const stream of new Set([response, body])) {
        stream.on('error', (error) => fail(unreachable(name, (error as NodeJS.ErrnoException).code)));
      }
      body.on('end', () => {
        const text = withoutToken(Buffer.concat(chunks).toString(), token);
        end({ kind: 'answer', answer: { ...head!, text } });
      });
    });
    sent.end(body);
  });
}

/** Some proxies pack what nobody asked them to. */
function unpacked(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return response;
  return response.pipe(encoding === 'br' ? createBrotliDecompress() : createUnzip());
}
