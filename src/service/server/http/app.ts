import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import fastifyCors from '@fastify/cors';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import fastifyHelmet from '@fastify/helmet';
import fastifyRateLimit from '@fastify/rate-limit';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify, LogController } from 'fastify';
import { serviceError } from '../../../contract/service-error.ts';
import { createSchemaCompiler } from '../../../kernel/json-schema/compile-schema.ts';
import { inMemory } from '../../sessions/sources/read-body.ts';
import { withoutSecrets } from '../log.ts';
import type { Settings } from '../settings/settings-table.ts';
import type { ServiceMetrics } from '../telemetry/metrics.ts';
import { startRequestSpan } from '../telemetry/tracing.ts';
import { guardRoutes } from './access-control.ts';
import type { AppPorts } from './app-ports.ts';
import { HTTP_LIMITS, type HttpLimits, limitBodyTime } from './http-limits.ts';
import { parseJsonBody } from './json-body.ts';
import { API_VERSION, COMPONENTS, describeApi } from './open-api.ts';
import { answerClientError, InvalidRequest, PROBLEM_TYPE, problemDetails, serviceErrorOf } from './problem-response.ts';
import { pathOf } from './request-context.ts';
import { featureRoutes } from './routes/feature-routes.ts';
import { oauthRoutes } from './routes/oauth-routes.ts';
import { descriptionRoutes, operationRoutes } from './routes/operation-routes.ts';
import { outputRoutes } from './routes/output-routes.ts';
import { sessionRoutes } from './routes/session-routes.ts';
import { styleVersionRoutes, styleVersionUploadRoute } from './routes/style-version-routes.ts';
import { readUploads, sourceBody, sourceUploadRoutes } from './routes/upload-routes.ts';
import { usageRoutes } from './routes/usage-routes.ts';
import { webhookRoutes } from './routes/webhook-routes.ts';
import { HEADERS } from './schemas/responses.ts';

/**
 * Builds the HTTP service without listening. The caller calls `app.listen()` and `app.close()`; closing gives running
 * responses a short time to finish.
 */
export async function buildApp(ports: AppPorts): Promise<FastifyInstance> {
  const limits: HttpLimits = { ...HTTP_LIMITS, ...ports.limits };
  const app = createServer(ports, limits);
  await app.register(fastifyHelmet, { global: false });
  await app.register(fastifyRateLimit, { global: false });
  await describeApi(app, { version: API_VERSION, publicUrl: ports.settings.publicUrl });
  const methodsOf = collectMethods(app);
  answerErrors(app, methodsOf);
  useSchemas(app);
  readJson(app, limits);
  addHooks(app, ports, limits);
  await allowOrigins(app, ports.settings);

  operationRoutes(app, ports, ports.settings.metrics && ports.settings.metricsPort === null);
  await descriptionRoutes(app, ports.settings);
  outputRoutes(app, ports);
  await app.register(async (oauth) => {
    oauth.addHook('preParsing', limitBodyTime(limits.bodyMs));
    oauthRoutes(oauth, ports);
  });
  const { maxWaiting } = ports.settings;
  await app.register(async (api) => {
    guardRoutes(api, ports);
    await api.register(async (json) => {
      json.addHook('preParsing', limitBodyTime(limits.bodyMs));
      sessionRoutes(json, ports);
      styleVersionRoutes(json, ports);
      webhookRoutes(json, ports);
      usageRoutes(json, ports);
      featureRoutes(json);
    });
    await api.register(async (zips) => {
      const kind = { types: ['application/zip'], maxBytes: limits.uploadBytes, openBody: inMemory };
      readUploads(zips, kind, { ...limits, maxWaiting });
      styleVersionUploadRoute(zips, ports);
    });
    await api.register(async (sources) => {
      const types = ['application/octet-stream', /^(?:(?:image|video|audio)\/[\w.+-]+|text\/vtt)$/];
      const kind = { types, maxBytes: limits.sourceBytes, openBody: () => sourceBody(ports) };
      readUploads(sources, kind, { ...limits, maxWaiting });
      sourceUploadRoutes(sources, ports);
    });
  });
  await app.ready();
  return app;
}

/** Builds `/healthz`, `/readyz` and `/metrics` alone, for a process without clients. Not listening, as `buildApp`. */
export async function buildOperationApp(ports: AppPorts): Promise<FastifyInstance> {
  const limits: HttpLimits = { ...HTTP_LIMITS, ...ports.limits };
  const app = createServer(ports, limits);
  answerErrors(app, collectMethods(app));
  useSchemas(app);
  addHooks(app, ports, limits);
  operationRoutes(app, ports, ports.settings.metrics);
  await app.ready();
  return app;
}

function createServer(ports: AppPorts, limits: HttpLimits): FastifyInstance {
  const app = fastify({
    loggerInstance: ports.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: requestId,
    bodyLimit: limits.bodyBytes,
    trustProxy: ports.settings.trustProxy,
    // Node has one limit for all requests; `limitBodyTime` enforces the shorter limit of JSON bodies.
    requestTimeout: limits.uploadMs,
    connectionTimeout: limits.stalledMs,
    keepAliveTimeout: limits.keepAliveMs,
    http: {
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: limits.checkMs,
      maxHeaderSize: limits.headerBytes,
    },
    routerOptions: { maxParamLength: 256 },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    schemaController: { compilersFactory: { buildSerializer: buildLazySerializers } },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, newRequestId()),
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      return sendProblem(error, request as FastifyRequest, reply as FastifyReply);
    },
  });
  app.server.maxConnections = ports.settings.maxConnections;
  app.decorateRequest('principal', null);
  app.decorateRequest('rawBody', null);
  return app as unknown as FastifyInstance;
}

/**
 * Compiles the serializer of a response on first use: compiling all of them would add a third of a second to every
 * start.
 */
const buildLazySerializers: ReturnType<typeof SerializerSelector> = (...options) => {
  const compile = SerializerSelector()(...options);
  return (route) => {
    let serialize: ReturnType<typeof compile> | undefined;
    return (data) => {
      serialize ??= compile(route);
      return serialize(data);
    };
  };
};

/** Accepts a client's request id if it is safe in headers and logs; otherwise creates an id. */
function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:+/=@-]{1,128}$/.test(given) ? given : newRequestId();
}

function newRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}

function answerErrors(app: FastifyInstance, methodsOf: (path: string) => string[]): void {
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const methods = methodsOf(pathOf(request));
    if (methods.length === 0) {
      return sendProblem(serviceError('not_found', 'No route has this path'), request, reply);
    }
    reply.header('allow', methods.join(', '));
    const detail = `This path does not support ${request.method}. It supports ${methods.join(', ')}`;
    return sendProblem(serviceError('method_not_allowed', detail), request, reply);
  });
}

/** Seconds for `Retry-After`, by error code. */
const PAUSES: Readonly<Record<string, string>> = {
  unavailable: '5',
  rate_limited: '2',
  queue_full: '10',
  service_full: '10',
  idempotency_in_progress: '1',
  style_version_processing: '1',
};

function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = serviceErrorOf(error, request);
  // Internal errors are logged, because the response does not describe them.
  if (problem.code === 'internal' || (problem.status >= 500 && problem !== error)) {
    request.log.error({ err: error }, 'a request failed');
  }
  const pause = PAUSES[problem.code];
  if (pause !== undefined && !reply.hasHeader('retry-after')) reply.header('retry-after', pause);
  if (problem.status === 415) reply.header('accept-encoding', 'identity');
  return reply
    .code(problem.status)
    .type(PROBLEM_TYPE)
    .send(problemDetails(problem, { path: pathOf(request), id: request.id }));
}

/**
 * Validates requests against the schemas of their routes. Fastify's default compiler would drop unknown fields and
 * convert types.
 */
function useSchemas(app: FastifyInstance): void {
  for (const component of COMPONENTS) app.addSchema(component);
  const compiler = createSchemaCompiler(COMPONENTS);
  app.setValidatorCompiler(({ schema, httpPart }) => {
    // Header schemas are only documentation; handlers validate the headers that they read.
    if (httpPart === 'headers') return () => true;
    const check = httpPart === 'body' ? compiler.strict(schema as object) : compiler.coercing(schema as object);
    return (value: unknown) => {
      const violations = check(value);
      return violations.length === 0 ? { value } : { error: new InvalidRequest(violations) };
    };
  });
}

function readJson(app: FastifyInstance, limits: HttpLimits): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      request.rawBody = body as Buffer;
      done(null, parseJsonBody(body as Buffer, limits.jsonDepth));
    } catch (error) {
      done(error as Error);
    }
  });
}

function addHooks(app: FastifyInstance, ports: AppPorts, limits: HttpLimits): void {
  let isClosing = false;
  app.addHook('preClose', (done) => {
    isClosing = true;
    setTimeout(() => app.server.closeAllConnections(), limits.closeMs).unref();
    done();
  });
  observeRequests(app, ports.metrics);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    if (isClosing) {
      reply.header('connection', 'close');
      throw serviceError('unavailable', 'The service is stopping');
    }
    // A proxy in front may use another header than Node, which passes on only the first.
    const hosts = request.raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
    if (hosts.length > 1) throw serviceError('bad_request', 'The request has several Host headers');
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      throw serviceError('unsupported_media_type', 'Request bodies must not have a Content-Encoding');
    }
  });
}

/** Returns a function that lists the methods of a path. Must be called before the first route is added. */
function collectMethods(app: FastifyInstance): (path: string) => string[] {
  const routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = url
      .split(/(:\w+)/)
      .map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')))
      .join('');
    routes.push({ pattern: new RegExp(`^${pattern}$`), methods: [method].flat() });
  });
  return (path) => [...new Set(routes.flatMap(({ pattern, methods }) => (pattern.test(path) ? methods : [])))].sort();
}

/** Status that nginx logs when a client disconnects before the response. */
const CLIENT_GONE = 499;

/** Logs, measures and traces each request once it is over, even if the client disconnected. */
function observeRequests(app: FastifyInstance, metrics: ServiceMetrics): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { method } = request;
    const route = request.is404 ? undefined : request.routeOptions.url;
    const span = startRequestSpan({ method, route, path: withoutSecrets(pathOf(request)), headers: request.headers });
    reply.raw.once('close', () => {
      const isAnswered = reply.raw.writableFinished;
      const status = isAnswered ? reply.statusCode : CLIENT_GONE;
      const milliseconds = reply.elapsedTime;
      span.end(isAnswered ? status : null);
      metrics.requestAnswered({ method, route: route ?? 'none', status, seconds: milliseconds / 1000 });
      request.log.info(
        {
          method,
          route: route ?? null,
          status,
          ms: Math.round(milliseconds * 10) / 10,
          ...(request.principal === null
            ? {}
            : { tenant: request.principal.tenant, token_id: request.principal.tokenId }),
        },
        'request',
      );
    });
    span.run(done);
  });
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Seconds that a browser may cache the response to a preflight request. */
const MAX_AGE_SECONDS = 600;

/** Headers that scripts may read: all documented headers and those of downloads. */
const EXPOSED = [
  ...new Set(Object.values(HEADERS).flatMap((headers) => Object.keys(headers))),
  ...['Accept-Ranges', 'Content-Disposition'],
];

/** Paths for the operator's network. A web page that the operator visits must not read them. */
const OPERATION_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Lets web pages of the allowed origins call the service, without credentials: clients send a token in a header, and
 * cookies are not used. Must be called before the routes are added.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
async function allowOrigins(app: FastifyInstance, { corsOrigins }: Pick<Settings, 'corsOrigins'>): Promise<void> {
  if (corsOrigins.length === 0) return;
  const origin = corsOrigins.includes('*') ? '*' : [...corsOrigins];
  await app.register(fastifyCors, {
    delegator(request, done) {
      const { origin: from, 'access-control-request-method': method } = request.headers;
      // An OPTIONS request that is not a preflight is treated as an unsupported method.
      const isRefused = request.method === 'OPTIONS' && (from === undefined || method === undefined);
      if (isRefused || OPERATION_PATHS.has(pathOf(request))) return done(null, { origin: false });
      done(null, { origin, methods: METHODS, exposedHeaders: EXPOSED, maxAge: MAX_AGE_SECONDS, credentials: false });
    },
  });
}
