import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SERVICE_CODES } from '../../../../src/contract/service-error.ts';
import { TEST_TYPE, WEBHOOK_TYPES } from '../../../../src/contract/wire/webhook.ts';
import { createSchemaCompiler } from '../../../../src/kernel/json-schema/compile-schema.ts';
import { COMPONENTS } from '../../../../src/service/server/http/open-api.ts';
import { EXAMPLES, WEBHOOK_EXAMPLES } from '../../../../src/service/server/http/schemas/examples.ts';
import { type ApiAnswer, untilEnded } from '../../../support/api.ts';
import type { OpenApiDocument } from '../../../support/open-api-document.ts';
import { startApp, type TestApp, TOKENS } from '../../../support/service-app.ts';
import { SMALL, smallRequest } from '../../../support/small-sessions.ts';

let service: TestApp;
let document: OpenApiDocument;
const routes: { method: string; url: string }[] = [];
beforeAll(async () => {
  service = await startApp({ settings: { rateLimit: 100_000 } });
  document = (await service.api('GET', '/openapi.json')).body;
  const parts: string[] = [];
  for (const line of service.app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', part = '', methods] = /^([│├└─ ]*)(\S+)(?: \(([A-Z, ]+)\))?/.exec(line) ?? [];
    if (part === '') continue;
    parts.splice(Math.max(0, indent.length / 4 - 1), parts.length, part);
    const url = parts.join('');
    if (methods !== undefined) routes.push(...methods.split(', ').map((method) => ({ method, url })));
  }
});
afterAll(() => service.close());

/** Converts a route path to its form in the document, as in `/a/:b.png`. */
const templated = (url: string): string => url.replaceAll(/:(\w+)/g, '{$1}');

describe('/openapi.json', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const result = await new Validator().validate(structuredClone(document) as never);
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect((document as unknown as { openapi: string }).openapi).toBe('3.1.0');
  });

  it('has exactly the routes of the service', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    // The files of the documentation page are not part of the interface.
    const routesOfApi = routes.filter(({ url }) => !/^\/docs(?:\/|$)/.test(url));
    const served = routesOfApi.map(({ method, url }) => `${method} ${templated(url)}`);
    // HEAD is implied by GET, and the root only redirects to the documentation.
    const isImplied = (route: string): boolean =>
      /^(?:GET|HEAD) \/$/.test(route) ||
      (served.includes(route.replace(/^HEAD /, 'GET ')) && route.startsWith('HEAD '));
    expect(served.length).toBeGreaterThan(20);
    expect(served.filter((route) => !described.includes(route) && !isImplied(route))).toEqual([]);
    expect(described.filter((route) => !served.includes(route))).toEqual([]);
  });

  it('has no constructs that linters of OpenAPI report', () => {
    // The rules of Redocly and Spectral that an earlier version violated.
    expect(document.info.contact).toBeDefined();
    const text = JSON.stringify(document.components);
    expect(text).not.toContain('dependentSchemas');
    const { oauth } = document.components.securitySchemes;
    const scopes = Object.keys(oauth!.flows!.clientCredentials.scopes);
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const operation of Object.values(methods)) {
        expect(operation.description, path).toMatch(/\w/);
        expect(
          Object.keys(operation.responses).some((status) => /^2/.test(status)),
          path,
        ).toBe(true);
        for (const requirement of operation.security ?? []) {
          expect(requirement.bearer ?? [], path).toEqual([]);
          expect(scopes, path).toEqual(expect.arrayContaining([...(requirement.oauth ?? [])]));
        }
      }
    }
  });

  it('describes every operation: name, summary, tag, scope and answers', () => {
    const names = new Set<string>();
    const tags = document.tags.map(({ name }) => name);
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const where = `${method} ${path}`;
        expect(names.has(operation.operationId), where).toBe(false);
        names.add(operation.operationId);
        expect(operation.summary, where).toMatch(/\w/);
        expect(tags, where).toEqual(expect.arrayContaining([...operation.tags]));
        const isOpen = !/^\/v\d\//.test(path);
        expect(operation.security?.length === 0, where).toBe(isOpen);
        expect(Object.keys(operation.responses), where).toEqual(
          expect.arrayContaining(isOpen ? ['500'] : ['400', '401', '403', '429', '500', '503']),
        );
        for (const [status, response] of Object.entries(operation.responses)) {
          expect(response.headers, where).toHaveProperty('X-Request-Id');
          // RFC 6749 defines the errors of the token endpoint.
          const isOauth = path === '/oauth/token' && ['400', '401'].includes(status);
          if (Number(status) >= 400 && !isOauth && !(status === '503' && path === '/readyz')) {
            expect(Object.keys(response.content ?? {}), `${where} ${status}`).toEqual(['application/problem+json']);
          }
        }
        const hasTag = operation.responses['200']?.headers?.ETag !== undefined;
        expect(Object.hasOwn(operation.responses, '304'), where).toBe(hasTag);
        expect(operation.parameters?.some(({ name }) => name === 'if-none-match') ?? false, where).toBe(hasTag);
        for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
          expect(
            operation.parameters?.some((one) => one.in === 'path' && one.name === name),
            where,
          ).toBe(true);
        }
      }
    }
  });

  it('names each object and refers to no missing one', () => {
    const known = Object.keys(document.components.schemas);
    expect(known.sort()).toEqual(COMPONENTS.map(({ $id }) => $id).sort());
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!);
    expect(references.filter((one) => !known.includes(one.replace('#/components/schemas/', '')))).toEqual([]);
  });

  it('describes webhook payloads by type', () => {
    const { webhooks } = document as unknown as { webhooks: Record<string, unknown> };
    expect(Object.keys(webhooks)).toEqual([...WEBHOOK_TYPES, TEST_TYPE]);
  });

  it('shows examples that match their schemas', () => {
    const compiler = createSchemaCompiler(COMPONENTS);
    const examples: [string, unknown][] = [
      ['RenderSession', EXAMPLES.session],
      ['RenderSession', EXAMPLES.started.render_session],
      ['RenderSession', EXAMPLES.canceled.render_session],
      ['CreateRenderSession', EXAMPLES.request],
      ['DryRun', EXAMPLES.dryRun],
      ['StyleVersion', EXAMPLES.specification],
      ['StyleVersionDetails', EXAMPLES.details],
      ['SourceUpload', EXAMPLES.upload],
      ['Problem', EXAMPLES.problem],
      ['CreateWebhookEndpoint', WEBHOOK_EXAMPLES.create],
      ['WebhookEndpoint', WEBHOOK_EXAMPLES.endpoint],
      ['WebhookEndpointWithSecret', WEBHOOK_EXAMPLES.withSecret],
      ['WebhookDelivery', WEBHOOK_EXAMPLES.delivery],
      ['RenderSessionStatusChanged', WEBHOOK_EXAMPLES.sessionChanged],
      ['ExternalUploadComplete', WEBHOOK_EXAMPLES.uploadComplete],
      ['StyleVersionStatusChanged', WEBHOOK_EXAMPLES.styleVersionChanged],
      ['WebhookEndpointTest', WEBHOOK_EXAMPLES.test],
    ];
    for (const [name, example] of examples) expect(compiler.strict({ $ref: `${name}#` })(example), name).toEqual([]);
  });
});

describe('answers of the running service', () => {
  /** All schemas of the document, with references as in the document. */
  const checkerOf = (): ((schema: object) => (value: unknown) => readonly unknown[]) => {
    const compiler = createSchemaCompiler(
      [{ $id: 'openapi', components: document.components } as object].map((one) => ({ ...one, $defs: {} })).slice(1),
    );
    return (schema) => {
      const inlined = JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/')) as object;
      const $defs = JSON.parse(
        JSON.stringify(document.components.schemas).replaceAll('#/components/schemas/', '#/$defs/'),
      ) as object;
      return compiler.strict({ ...inlined, $defs });
    };
  };

  it('match the document for every operation', async () => {
    const check = checkerOf();
    const seen = new Set<string>();
    const verify = (method: string, path: string, answer: ApiAnswer): void => {
      const operation = document.paths[path]?.[method.toLowerCase()];
      const response = operation?.responses[String(answer.status)];
      const where = `${method} ${path} ${answer.status}`;
      expect(response, where).toBeDefined();
      seen.add(operation!.operationId);
      const type = answer.headers.get('content-type')?.split(';')[0];
      const content = type === undefined ? undefined : response!.content?.[type];
      if (type !== undefined) expect(content, `${where} ${type}`).toBeDefined();
      else expect(answer.body, where).toBe('');
      if (content?.schema !== undefined && /json/.test(type!))
        expect(check(content.schema)(answer.body), where).toEqual([]);
      for (const name of answer.headers.keys()) {
        if (
          /^(?:location|retry-after|etag|link|idempot.*|ratelimit.*|www-authenticate|allow|content-range)$/.test(name)
        ) {
          const declared = Object.keys(response!.headers ?? {}).map((one) => one.toLowerCase());
          expect(declared, where).toContain(name);
        }
      }
    };
    const call = async (
      method: string,
      path: string,
      place: string,
      request = {},
      token: string | null = TOKENS.acme,
    ): Promise<ApiAnswer> => {
      const answer = await service.as(token)(method, place, request);
      verify(method, path, answer);
      return answer;
    };
    const sessions = '/v2/render_sessions';
    const session = `${sessions}/{render_session_id}`;
    const versions = '/v2/template_style_versions';
    const version = `${versions}/{template_style_version_id}`;
    const { id } = SMALL.spec;

    for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json']) await call('GET', path, path);
    const root = await fetch(`${service.url}/`, { redirect: 'manual' });
    expect([root.status, root.headers.get('location')]).toEqual([302, 'docs/']);

    const draft = { ...smallRequest(), render: undefined };
    const created = await call('POST', sessions, sessions, {
      body: smallRequest(),
      headers: { 'idempotency-key': 'k' },
    });
    await call('POST', sessions, sessions, { body: smallRequest(), headers: { 'idempotency-key': 'k' } });
    await call('POST', sessions, sessions, { body: draft, headers: { 'idempotency-key': 'k' } });
    await call('POST', sessions, `${sessions}?dry_run=true`, { body: draft });
    await call('POST', sessions, sessions, { body: {} });
    await call('POST', sessions, sessions, { body: { ...draft, mapping: { ...draft.mapping, resources: {} } } });
    await call('POST', sessions, sessions, { body: 'x', headers: { 'content-type': 'text/plain' } });
    await call('POST', sessions, sessions, { body: {} }, null);
    await call('POST', sessions, sessions, { body: {} }, TOKENS.reader);
    const rendered = await untilEnded(service.api, created.body.render_session.id);
    const one = await call('GET', session, `${sessions}/${rendered.id}`);
    await call('GET', session, `${sessions}/${rendered.id}`, {
      headers: { 'if-none-match': one.headers.get('etag')! },
    });
    const uploads = `${sessions}/${rendered.id}/external_uploads`;
    const upload = { to: 'file:delivered/{title}.{extension}', credential: 'local' };
    for (const asked of [[upload], [upload], [{ ...upload, credential: 'locl' }], []]) {
      const request = { body: { external_uploads: asked }, headers: { 'idempotency-key': `u${asked.length}` } };
      await call('POST', `${session}/external_uploads`, uploads, request);
    }
    await call('GET', session, `${sessions}/${rendered.id}`);
    await call('GET', session, `${sessions}/none`);
    await call('GET', sessions, sessions);
    await call('GET', sessions, `${sessions}?limit=0`);
    await call('GET', sessions, `${sessions}?created_since=2026-99-99`);
    await call('GET', `${session}/events`, `${sessions}/${rendered.id}/events`);
    await call('GET', `${session}/events`, `${sessions}/none/events`);
    await call('GET', '/v2/features', '/v2/features');
    await call('GET', '/v2/usage', '/v2/usage');
    await call('GET', '/v2/usage', '/v2/usage?since=tomorrow');
    const other = (await call('POST', sessions, sessions, { body: draft })).body.render_session.id;
    await call('GET', sessions, `${sessions}?limit=1`);
    await call('POST', `${session}/render`, `${sessions}/${other}/render`, { headers: { 'idempotency-key': 'k2' } });
    await call('POST', `${session}/render`, `${sessions}/${rendered.id}/render`);
    await call('POST', `${session}/cancel`, `${sessions}/${rendered.id}/cancel`);
    const third = (await call('POST', sessions, sessions, { body: draft })).body.render_session.id;
    await call('POST', `${session}/cancel`, `${sessions}/${third}/cancel`);
    await call('GET', session, `${sessions}/${third}`);
    await call('DELETE', session, `${sessions}/${third}`);
    await call('DELETE', session, `${sessions}/${third}`);

    const client = { client_id: 'tok_acme', client_secret: TOKENS.acme };
    for (const body of [{ ...client, grant_type: 'client_credentials' }, client, {}])
      await call('POST', '/oauth/token', '/oauth/token', { body }, null);
    const edited = await call('POST', sessions, sessions, {
      body: { ...draft, mapping: { id: 'map_1', template_style_version_id: id }, edit_token: true },
    });
    const { id: editedId } = edited.body.render_session;
    for (const mapping of [{ resources: { t_01: null } }, { resources: { t_99: null } }, { other: 1 }])
      await call('PATCH', session, `${sessions}/${editedId}`, { body: { mapping } }, edited.body.edit_token);
    await call('POST', `${session}/render`, `${sessions}/${editedId}/render`, {}, edited.body.edit_token);
    await call('PATCH', session, `${sessions}/${rendered.id}`, { body: { mapping: {} } });
    const { render: _render, ...video } = smallRequest();
    const inline = await call('POST', '/v3/videos', '/v3/videos', { body: video });
    await call('GET', '/v3/videos/{render_session_id}', `/v3/videos/${inline.body.id}`);

    await call('GET', versions, versions);
    await call('GET', version, `${versions}/${id}`);
    await call('GET', version, `${versions}/none`);
    await call('GET', `${version}/specs`, `${versions}/${id}/specs`);
    await call('GET', `${version}/specs`, `${versions}/none/specs`);
    await call('GET', `${version}/stillcuts/{name}.png`, `${versions}/${id}/stillcuts/stillcut_01.png`);
    await call('GET', `${version}/stillcuts/{name}.png`, `${versions}/${id}/stillcuts/none.png`);
    for (const body of ['PK', 'PK', 'x']) {
      await call('POST', versions, versions, { body, headers: { 'content-type': 'application/zip' } });
      await call('POST', '/v2/source_uploads', '/v2/source_uploads', {
        body,
        headers: { 'content-type': 'image/png' },
      });
    }
    const endpoints = '/v2/webhook_endpoints';
    const endpoint = `${endpoints}/{webhook_endpoint_id}`;
    const key = { 'idempotency-key': 'k3' };
    const body = { url: 'https://example.com/hook', types: ['render_session.status.changed'] };
    const made = (await call('POST', endpoints, endpoints, { body, headers: key })).body.webhook_endpoint;
    for (const url of ['http://example.com/', body.url, body.url])
      await call('POST', endpoints, endpoints, { body: { url } });
    await call('POST', endpoints, endpoints, { body: { url: body.url, types: ['x'], secret: 'whsec_' } });
    await call('GET', endpoints, endpoints);
    for (const [method, path] of [
      ['GET', endpoint],
      ['GET', `${endpoint}/deliveries`],
      ['POST', `${endpoint}/rotate_secret`],
      ['POST', `${endpoint}/test`],
    ] as const) {
      for (const one of [made.id, 'none'])
        await call(method, path, path.replace('{webhook_endpoint_id}', one), { headers: key });
    }
    await call('PATCH', endpoint, `${endpoints}/${made.id}`, { body: { description: 'd', types: null } });
    const again = `${endpoint}/deliveries/{delivery_id}/redeliver`;
    await call('POST', again, `${endpoints}/${made.id}/deliveries/whd_1/redeliver`, { body: {} });
    await call('PATCH', endpoint, `${endpoints}/${made.id}`, { body: { enabled: false } });
    await call('POST', again, `${endpoints}/${made.id}/deliveries/whd_1/redeliver`);
    await call('DELETE', endpoint, `${endpoints}/${made.id}`);
    for (const method of ['GET', 'HEAD']) {
      await call(method, '/outputs/{output}/{file}', new URL(rendered.video_url).pathname);
      await call(method, '/downloads/{render_session_id}/{file}', rendered.download_url.replace(service.url, ''));
    }
    const range = { headers: { range: 'bytes=0-0' } };
    await call('GET', '/outputs/{output}/{file}', new URL(rendered.video_url).pathname, range);
    await call('GET', '/outputs/{output}/{file}', new URL(rendered.video_url).pathname, {
      headers: { range: 'bytes=9-' },
    });
    await call('GET', '/outputs/{output}/{file}', '/outputs/none/video.mp4');

    const all = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(all.filter((operation) => !seen.has(operation))).toEqual([]);
  });

  it('contain no fields beyond the schemas', async () => {
    const leaking = await startApp({
      ports: {
        styleVersions: {
          list: async () => [],
          upload: () => Promise.reject(new Error('unused')),
          stillcut: async () => null,
          details: async () =>
            ({
              ...EXAMPLES.details,
              secret: 'leak',
              errors: [{ code: 'a', pointer: '#', detail: 'b', secret: 'leak' }],
            }) as never,
        },
      },
    });
    const answer = await leaking.api('GET', '/v2/template_style_versions/tsv_1');
    await leaking.close();
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body)).not.toContain('leak');
    expect(answer.body.style_version.errors).toEqual([{ code: 'a', pointer: '#', detail: 'b' }]);
  });
});

describe('/docs/', () => {
  const get = async (path: string) => {
    const answer = await service.as(null)('GET', path);
    return { ...answer, text: String(answer.body) };
  };

  it('loads only its own files and runs no other scripts', async () => {
    const page = await get('/docs/');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none';",
    );
    const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      expect(file).toMatch(/^\.\/static\/(?:theme\/)?[\w.-]+$/);
      expect((await get(`/docs/${file}`)).status, file).toBe(200);
    }
    // No inline script and no script in attributes.
    expect(page.text).not.toMatch(/<script(?! src)|<style|\bon\w+=/);
    expect((await get('/docs')).status).toBe(200);
  });

  it('shows the document with an anchor for each error code', async () => {
    const shown = await service.as(null)('GET', '/docs/json');
    expect(shown.body).toEqual(document);
    const anchors = [...document.info.description.matchAll(/<a id="(\w+)">/g)].map(([, id]) => id);
    expect(anchors).toEqual(Object.keys(SERVICE_CODES));
  });
});
