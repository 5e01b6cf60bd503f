import { inspect } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import type { ServiceError } from '../../src/contract/service-error.ts';
import type { CreateRenderSession, RenderSession } from '../../src/contract/wire/render-session.ts';
import type { ReelformError } from '../../src/kernel/diagnostic.ts';
import { createHttpService, type HttpServiceOptions } from '../../src/reconciler/service-client/http-service.ts';
import { type InterfaceService, type InterfaceServiceOptions, startInterfaceService } from './interface-service.ts';
import { smallPackage } from './small-package.ts';

export const { spec } = smallPackage();
export const POST = 'POST /v2/render_sessions';
export const GET = 'GET /v2/render_sessions/{id}';
export const LIST = 'GET /v2/render_sessions';
export const SPECS = 'GET /v2/template_style_versions/{id}/specs';

/** A client of a real server. */
export interface Client {
  readonly server: InterfaceService;
  readonly service: ReturnType<typeof createHttpService>;
  /** Requested waits in milliseconds; the client does not really wait. */
  readonly waits: number[];
}

export async function openClient(
  options: InterfaceServiceOptions = {},
  changes: Partial<HttpServiceOptions> = {},
): Promise<Client> {
  const server = await startInterfaceService({ styleVersions: [spec], ...options });
  onTestFinished(() => server.close());
  const waits: number[] = [];
  const service = createHttpService({
    url: server.url,
    token: server.token,
    now: () => 0,
    monotonicNow: () => 0,
    random: () => 1,
    wait: async (milliseconds) => void waits.push(milliseconds),
    ...changes,
  });
  return { server, service, waits };
}

const REQUEST: CreateRenderSession = {
  title: 'Berlin',
  render: 'preview',
  mapping: { template_style_version_id: spec.id, resources: { t_01: { source: { text: 'Grüße, 東京' } } } },
};

export const BODY = JSON.stringify(REQUEST);

export function create(service: Client['service'], key = 'key-1'): Promise<RenderSession> {
  return service.createRenderSession(BODY, { idempotencyKey: key, outputName: 'berlin' });
}

/** Returns the thrown error after verifying that it does not contain the token. */
export async function thrown(promise: Promise<unknown>, token = 'canary'): Promise<ReelformError | ServiceError> {
  const error = await promise.then(
    () => expect.fail('nothing was thrown'),
    (reason: unknown) => reason,
  );
  expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain(token);
  expect(JSON.stringify(error)).not.toContain(token);
  return error as ReelformError | ServiceError;
}

export const json = (body: unknown, status = 200) => ({
  kind: 'answer' as const,
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
