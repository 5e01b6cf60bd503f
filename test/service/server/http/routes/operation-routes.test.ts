import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLogger, withoutSecrets } from '../../../../../src/service/server/log.ts';
import { createMetrics } from '../../../../../src/service/server/telemetry/metrics.ts';
import { traced } from '../../../../../src/service/server/telemetry/tracing.ts';
import { startApp, type TestApp, TOKENS } from '../../../../support/service-app.ts';
import { smallRequest } from '../../../../support/small-sessions.ts';

let service: TestApp;
let ready = true;
beforeAll(async () => {
  service = await startApp({
    ports: { readiness: async () => ({ ready, checks: { database: ready, queue: true }, sandbox: 'landlock' }) },
  });
});
afterAll(() => service.close());

describe('/healthz and /readyz', () => {
  it('report liveness and readiness', async () => {
    const anyone = service.as(null);
    expect(await anyone('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await anyone('GET', '/readyz')).toMatchObject({
      status: 200,
      body: { ready: true, checks: { database: true }, sandbox: 'landlock' },
    });
    ready = false;
    const answer = await anyone('GET', '/readyz');
    ready = true;
    expect(answer).toMatchObject({ status: 503, body: { ready: false, checks: { database: false, queue: true } } });
    expect(answer.headers.get('retry-after')).toBe('2');
    expect((await anyone('GET', '/healthz')).status).toBe(200);
  });
});

describe('the log', () => {
  it('has one line per request with tenant, route and result, and no secrets', async () => {
    const headers = { 'x-request-id': 'log-1', 'idempotency-key': 'secret-key', cookie: 'secret-cookie' };
    const body = { ...smallRequest(), title: 'secret-title' };
    await service.api('POST', '/v2/render_sessions?dry_run=false', { body, headers });
    await service.api('GET', '/v2/render_sessions?cursor=secret-cursor', { headers: { 'x-request-id': 'log-2' } });
    await service.as('rf_secret')('GET', '/v2/nothing?token=secret-query', { headers: { 'x-request-id': 'log-3' } });
    const lines = service.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    expect(lines.find(({ request_id }) => request_id === 'log-1')).toMatchObject({
      level: 'info',
      method: 'POST',
      route: '/v2/render_sessions',
      status: 201,
      ms: expect.any(Number),
      tenant: 'acme',
      token_id: 'tok_acme',
    });
    expect(lines.filter(({ request_id }) => request_id === 'log-1')).toHaveLength(1);
    expect(lines.find(({ request_id }) => request_id === 'log-2')).toMatchObject({ status: 400 });
    expect(lines.find(({ request_id }) => request_id === 'log-3')).toMatchObject({ status: 404, route: null });
    const text = service.log.join('');
    expect(text).not.toMatch(/secret/);
    for (const token of Object.values(TOKENS)) expect(text).not.toContain(token);
  });

  it('redacts fields with secret names', () => {
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line) => void lines.push(line) });
    logger.info({ token: 's3cret', headers: { authorization: 's3cret', 'set-cookie': 's3cret' } }, 'one');
    logger.info({ req: { headers: { 'idempotency-key': 's3cret', cookie: 's3cret', accept: 'x' } } }, 'two');
    logger.error({ err: Object.assign(new Error('no rf_s3cret99'), { request: { body: 's3cret' } }) }, 'three');
    expect(lines.join('')).not.toContain('s3cret');
    expect(JSON.parse(lines[1]!).req.headers.accept).toBe('x');
    expect(lines).toHaveLength(3);
  });

  it('logs the message of an error given as text', () => {
    const lines: string[] = [];
    createLogger('info', { write: (line) => void lines.push(line) }).warn({ error: 'gone: token=s3cret' }, 'x');
    expect(JSON.parse(lines[0]!).error).toBe('gone: token=…');
  });

  it('omits probes', async () => {
    const before = service.log.length;
    await service.as(null)('GET', '/healthz');
    await service.as(null)('GET', '/metrics');
    expect(service.log.length).toBe(before);
  });

  it.each([
    ['Bearer rf_abc-DEF_1 x', 'Bearer rf_… x'],
    ['rf_x', 'rf_x'],
    ['GET https://user:pw@host:1/a?sig=1#x failed', 'GET https://…@host:1/a?… failed'],
    ['postgres://u:p@h/db', 'postgres://…@h/db'],
    ['/downloads/a/b.mp4?expires=1&signature=abc', '/downloads/a/b.mp4?expires=…&signature=…'],
    ['what? nothing', 'what? nothing'],
    ['https://example.com/a@b#c', 'https://example.com/a@b?…'],
  ])('logs %s as %s', (text, logged) => {
    expect(withoutSecrets(text)).toBe(logged);
  });
});

describe('withoutSecrets()', () => {
  it.each(['a.', 'x://', 'x://?', '@:/', 'rf_', 'token='])('takes linear time for very many %s', (part) => {
    expect(withoutSecrets(part.repeat(200_000)).length).toBeGreaterThan(0);
  });
});

describe('/metrics', () => {
  it('labels requests by route pattern', async () => {
    await service.api('GET', '/v2/render_sessions/rs_some');
    const { body } = await service.as(null)('GET', '/metrics');
    expect(body).toContain(
      'http_request_duration_seconds_count{method="GET",route="/v2/render_sessions/:render_session_id",status="404"} ',
    );
    expect(body).not.toContain('rs_some');
  });

  it('is absent when disabled in the settings', async () => {
    const without = await startApp({ settings: { metrics: false } });
    expect((await without.as(null)('GET', '/metrics')).status).toBe(404);
    await without.close();
  });

  it('is not served on the service port when it has its own port', async () => {
    const apart = await startApp({ settings: { metricsPort: 0 } });
    expect((await apart.as(null)('GET', '/metrics')).status).toBe(404);
    await apart.close();
  });
});

const FARM = {
  workers: 3,
  places: 6,
  queues: [{ queue: 'render', waiting: 7, active: 2, oldestSeconds: 1.5 } as const],
};

describe('createMetrics()', () => {
  it('exports recorded values and queries the rest', async () => {
    const metrics = createMetrics({ farm: async () => FARM, ofProcess: true });
    metrics.sessionEntered('preview_rendered');
    metrics.renderEnded('rendered', 3);
    metrics.sourceFetched('asset_unreachable');
    const text = await metrics.text();
    expect(text).toContain('reelform_sessions_total{status="preview_rendered"} 1');
    expect(text).toContain('reelform_render_duration_seconds_sum{outcome="rendered"} 3');
    expect(text).toContain('reelform_source_fetches_total{outcome="asset_unreachable"} 1');
    expect(text).toContain('reelform_places_busy 2');
    expect(text).toContain('reelform_queue_depth{queue="render"} 7');
    expect(text).toContain('reelform_queue_oldest_seconds{queue="render"} 1.5');
    const away = await createMetrics({ farm: async () => null }).text();
    expect(away).toContain('# TYPE reelform_queue_depth gauge');
    expect(away).not.toMatch(/^reelform_queue_depth\{/m);
    expect(text).toContain('process_resident_memory_bytes');
  });

  it('reports whether the database answers and omits its values otherwise', async () => {
    const here = createMetrics({ farm: async () => FARM, webhooksPending: async () => 4 });
    expect(await here.text()).toMatch(/^reelform_webhook_pending 4$/m);
    expect(await here.text()).toMatch(/^reelform_database_up 1$/m);
    const away = createMetrics({
      farm: () => Promise.reject(new Error('away')),
      webhooksPending: () => Promise.reject(new Error('away')),
    });
    away.renderEnded('rendered', 3);
    const text = await away.text();
    expect(text).toMatch(/^reelform_database_up 0$/m);
    expect(text).toContain('reelform_render_duration_seconds_sum{outcome="rendered"} 3');
    expect(text).not.toMatch(/^reelform_(?:webhook_pending|workers|places|queue)/m);
  });

  it('drops the values of a database that went away', async () => {
    let isAway = false;
    const ask = <T>(value: T) => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(value));
    const metrics = createMetrics({ farm: () => ask(FARM), webhooksPending: () => ask(4) });
    expect(await metrics.text()).toMatch(/^reelform_queue_depth\{queue="render"\} 7$/m);
    isAway = true;
    expect(await metrics.text()).not.toMatch(/^reelform_(?:webhook_pending|workers|places|queue)/m);
  });

  it('waits a bounded time for a silent database and queries it once at a time', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let asked = 0;
    const silence = (): Promise<never> => {
      asked += 1;
      return new Promise(() => undefined);
    };
    const metrics = createMetrics({ farm: silence, webhooksPending: silence });
    const [first, second] = [metrics.text(), metrics.text()];
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await first).toMatch(/^reelform_database_up 0$/m);
    expect(await second).toMatch(/^reelform_database_up 0$/m);
    const third = metrics.text();
    await vi.advanceTimersByTimeAsync(2_000);
    await third;
    expect(asked).toBe(2);
  });
});

describe('spans', () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider();
  provider.addSpanProcessor(new SimpleSpanProcessor(exporter));
  beforeAll(() => provider.register());
  afterEach(() => exporter.reset());
  afterAll(() => trace.disable());

  it('are created per request as children of its traceparent', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await service.api('GET', '/v2/render_sessions/rs_1?x=secret', { headers: { traceparent } });
    await service.api('GET', '/v2/render_sessions');
    const [span] = exporter.getFinishedSpans();
    expect(span).toMatchObject({
      name: 'GET /v2/render_sessions/:render_session_id',
      kind: SpanKind.SERVER,
      parentSpanId: 'b7ad6b7169203331',
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v2/render_sessions/:render_session_id',
        'url.path': '/v2/render_sessions/rs_1',
        'http.response.status_code': 400,
      },
    });
    expect(span!.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(span!.status.code).toBe(SpanStatusCode.UNSET);
    expect(JSON.stringify(span!.attributes)).not.toContain('secret');
  });

  it('traced() marks the span of failed work and rethrows', async () => {
    expect(await traced('render', { 'reelform.frames': 10 }, async () => 5)).toBe(5);
    await expect(traced('render', {}, () => Promise.reject(new TypeError('no')))).rejects.toThrow('no');
    const [good, bad] = exporter.getFinishedSpans();
    expect(good).toMatchObject({ name: 'render', attributes: { 'reelform.frames': 10 } });
    expect(bad).toMatchObject({ status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': 'TypeError' } });
  });
});
