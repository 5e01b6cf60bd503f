import { serviceError } from '../../src/contract/service-error.ts';
import type { WebhookEndpointWithSecret } from '../../src/contract/wire/webhook.ts';
import type { AppPorts } from '../../src/service/server/http/app-ports.ts';
import { WEBHOOK_EXAMPLES } from '../../src/service/server/http/schemas/examples.ts';

/** Webhook endpoints in memory that receive no events, for tests of the HTTP layer. */
export function createMemoryWebhooks(): AppPorts['webhooks'] {
  const endpoints = new Map<string, WebhookEndpointWithSecret>();
  const { delivery } = WEBHOOK_EXAMPLES;
  const find = (id: string): WebhookEndpointWithSecret => {
    const endpoint = endpoints.get(id);
    if (endpoint === undefined) throw serviceError('not_found');
    return endpoint;
  };
  const enabled = (id: string): void => {
    if (!find(id).enabled) throw serviceError('endpoint_disabled');
  };
  return {
    requireEndpoint: async () => undefined,
    list: async () => [...endpoints.values()],
    get: async (_tenant, id) => find(id),
    async create(_tenant, { url, description = '', types = null, clientId = null }) {
      if (!url.startsWith('https:')) throw serviceError('webhook_url_refused');
      if (endpoints.size === 2) throw serviceError('too_many_endpoints');
      const id = `whe_${endpoints.size}`;
      const endpoint = { ...WEBHOOK_EXAMPLES.withSecret, id, url, description, types, client_id: clientId };
      endpoints.set(id, endpoint);
      return { endpoint, isReplay: false };
    },
    async change(_tenant, id, { enabled, ...change }) {
      const isEnabled = enabled ?? find(id).enabled;
      const disabled_because = isEnabled ? null : ('request' as const);
      endpoints.set(id, { ...find(id), ...change, enabled: isEnabled, disabled_because });
      return find(id);
    },
    async remove(_tenant, id) {
      find(id);
      endpoints.delete(id);
    },
    rotate: async (_tenant, id) => ({ endpoint: find(id), isReplay: true }),
    async deliveries(_tenant, id) {
      find(id);
      return { deliveries: [delivery], nextCursor: 'next' };
    },
    async redeliver(_tenant, id, deliveryId) {
      enabled(id);
      return { ...delivery, id: deliveryId };
    },
    async test(_tenant, id) {
      enabled(id);
      return delivery;
    },
  };
}
