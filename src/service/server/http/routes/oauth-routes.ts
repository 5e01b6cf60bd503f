import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Principal, SCOPES, type Scope } from '../../ports.ts';
import { createTokenLimiter } from '../access-control.ts';
import type { AppPorts } from '../app-ports.ts';
import { serviceErrorOf } from '../problem-response.ts';
import { objectOf, type Schema } from '../schemas/json-schema.ts';
import { HEADERS, json, problems } from '../schemas/responses.ts';

const MINUTE_MS = 60_000;
/** Tokens issued to one client in 60 seconds. */
const ISSUED_PER_MINUTE = 60;
const MAX_BODY_BYTES = 16 << 10;
const FORM = 'application/x-www-form-urlencoded';

const TOKEN_REQUEST: Schema = objectOf(
  {
    grant_type: { type: 'string', const: 'client_credentials' },
    client_id: { type: 'string', description: 'Id of a token, `tok_…`', examples: ['tok_Xq3vT0kZ81hY'] },
    client_secret: { type: 'string', description: 'The token itself, `rf_…`' },
    scope: { type: 'string', description: 'Scopes, separated by spaces. Defaults to all scopes of the client' },
  },
  ['client_id', 'client_secret', 'scope'],
);

const TOKEN_ANSWER: Schema = objectOf({
  access_token: { type: 'string', description: 'The token for `Authorization: Bearer`' },
  token_type: { type: 'string', const: 'Bearer' },
  expires_in: { type: 'integer', description: 'Seconds' },
  scope: { type: 'string', description: 'Scopes, separated by spaces' },
});

const OAUTH_ERRORS = ['invalid_request', 'invalid_client', 'unsupported_grant_type', 'invalid_scope'] as const;

const ERROR_ANSWER: Schema = objectOf({
  error: { type: 'string', enum: [...OAUTH_ERRORS] },
  error_description: { type: 'string', description: 'Human-readable explanation' },
});

/** An error in the format of RFC 6749, section 5.2. */
class OauthError extends Error {
  readonly code: (typeof OAUTH_ERRORS)[number];

  constructor(code: OauthError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * `POST /oauth/token`: exchanges the id and text of a token, which act as client id and secret, for a short-lived
 * access token.
 *
 * @see RFC 6749, sections 2.3.1, 3.2, 4.4 and 5
 */
export function oauthRoutes(app: FastifyInstance, ports: AppPorts): void {
  const { tokens, settings } = ports;
  const limit = createTokenLimiter(app, ISSUED_PER_MINUTE);
  app.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, body, done) =>
    done(null, new URLSearchParams(body as string)),
  );
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
  });
  app.setErrorHandler((error, request, reply) => {
    const { code, message } = asOauthError(error, request);
    if (code === 'invalid_client') reply.header('www-authenticate', 'Basic realm="reelform", charset="UTF-8"');
    return reply.code(code === 'invalid_client' ? 401 : 400).send({ error: code, error_description: message });
  });

  app.post('/oauth/token', {
    bodyLimit: MAX_BODY_BYTES,
    // The schema is documentation only: OAuth ignores unknown parameters and has its own error format.
    validatorCompiler: () => () => true,
    schema: {
      operationId: 'createAccessToken',
      summary: 'Get an access token',
      description:
        'The client credentials grant of OAuth 2.0 (RFC 6749, section 4.4). The client is a token that `reelform token create` printed: its id is the `client_id`, the token itself is the `client_secret`. Send both in the body or with HTTP Basic authentication.',
      tags: ['Access tokens'],
      security: [],
      body: { content: { 'application/json': { schema: TOKEN_REQUEST }, [FORM]: { schema: TOKEN_REQUEST } } },
      response: {
        ...problems('request_timeout', 'body_too_large', 'unsupported_media_type', 'rate_limited'),
        200: json('An access token', TOKEN_ANSWER),
        400: json('`invalid_request`, `unsupported_grant_type` or `invalid_scope`', ERROR_ANSWER),
        401: json('`invalid_client`: unknown, expired or revoked', ERROR_ANSWER, HEADERS.authenticate),
      },
    },
    async handler(request, reply) {
      const parameters = readParameters(request.body);
      const { id, secret } = readClient(request, parameters);
      const grant = parameters.get('grant_type');
      if (grant === undefined) throw new OauthError('invalid_request', 'grant_type is missing');
      const client = await tokens.authenticate(secret);
      // Only tokens that the operator created can act as a client; access tokens and edit tokens cannot.
      if (client === null || client.tokenId !== client.clientId || client.tokenId !== id) throw unknownClient();
      request.principal = client;
      await limit(request, reply);
      if (grant !== 'client_credentials') {
        throw new OauthError('unsupported_grant_type', 'The only grant_type is client_credentials');
      }
      const scopes = readScopes(parameters.get('scope'), client);
      const lifetimeMs = settings.accessTokenMinutes * MINUTE_MS;
      const expiresAt = new Date(ports.now() + lifetimeMs).toISOString();
      const issued = await tokens.issue({ clientId: client.clientId, scopes, expiresAt, sessionId: null });
      if (issued === null) throw unknownClient();
      return {
        access_token: issued.text,
        token_type: 'Bearer',
        expires_in: Math.max(0, Math.floor((Date.parse(issued.expiresAt) - ports.now()) / 1000)),
        scope: scopes.join(' '),
      };
    },
  });
}

/** Maps malformed bodies to `invalid_request`; other errors keep the format of the service. */
function asOauthError(error: unknown, request: FastifyRequest): OauthError {
  if (error instanceof OauthError) return error;
  const problem = serviceErrorOf(error, request);
  if (problem.code === 'bad_request') return new OauthError('invalid_request', problem.message);
  throw error;
}

function unknownClient(): OauthError {
  return new OauthError('invalid_client', 'The client is unknown, expired or revoked, or the secret is wrong');
}

/** Collects string parameters. @throws OauthError for a repeated parameter */
function readParameters(body: unknown): ReadonlyMap<string, string> {
  const entries = body instanceof URLSearchParams ? [...body] : Object.entries(body ?? {});
  const parameters = new Map<string, string>();
  for (const [name, value] of entries) {
    if (parameters.has(name)) throw new OauthError('invalid_request', 'A parameter is repeated');
    if (typeof value === 'string') parameters.set(name, value);
  }
  return parameters;
}

function readClient(
  { headers: { authorization } }: FastifyRequest,
  parameters: ReadonlyMap<string, string>,
): { readonly id: string; readonly secret: string } {
  const [id, secret] = [parameters.get('client_id'), parameters.get('client_secret')];
  if (authorization === undefined) {
    if (id === undefined) throw new OauthError('invalid_client', 'client_id is missing');
    if (secret === undefined) throw new OauthError('invalid_client', 'client_secret is missing');
    return { id, secret };
  }
  if (secret !== undefined)
    throw new OauthError('invalid_request', 'The client uses more than one authentication method');
  const basic = readBasic(authorization);
  if (basic === null || (id !== undefined && id !== basic.id)) throw unknownClient();
  return basic;
}

/** @see RFC 6749, section 2.3.1: both parts are form-encoded before they are joined */
function readBasic(authorization: string): { readonly id: string; readonly secret: string } | null {
  const encoded = /^basic +([\w+/]+=*) *$/i.exec(authorization)?.[1];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  if (id === undefined || secret === undefined) return null;
  const decode = (text: string): string => new URLSearchParams(`_=${text.replaceAll('&', '%26')}`).get('_') ?? '';
  return { id: decode(id), secret: decode(secret) };
}

function readScopes(text: string | undefined, client: Principal): Scope[] {
  if (text === undefined) return [...client.scopes];
  const wanted = new Set(text.split(' ').filter((scope) => scope !== ''));
  const granted = SCOPES.filter((scope) => wanted.has(scope) && client.scopes.has(scope));
  if (wanted.size === 0 || granted.length < wanted.size) {
    throw new OauthError('invalid_scope', 'The client does not have all requested scopes');
  }
  return granted;
}
