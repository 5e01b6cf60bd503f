import type { RenderSession } from './render-session.ts';
import type { StyleVersionDetails } from './style-version.ts';

/** What endpoints can ask to be told. */
export const WEBHOOK_TYPES = [
  'render_session.status.changed',
  'render_session.external_upload.complete',
  'template_style_version.status.changed',
] as const;

export type WebhookType = (typeof WEBHOOK_TYPES)[number];

/** What a call to `…/test` sends, whatever types the endpoint asks for. */
export const TEST_TYPE = 'webhook_endpoint.test';

/** What stands in the `data` of each type. */
export interface WebhookData {
  /** As it was at the time of the message, without `download_url`, which would expire before a late try. */
  'render_session.status.changed': { render_session: RenderSession };
  'render_session.external_upload.complete': { render_session_id: string; to: string; remote_id: string | null };
  'template_style_version.status.changed': { style_version: StyleVersionDetails };
  'webhook_endpoint.test': { webhook_endpoint_id: string };
}

/** The body of a message. @see Standard Webhooks 1.0, "Payload structure" */
export interface WebhookBody<T extends keyof WebhookData = keyof WebhookData> {
  type: T;
  /** When it happened, which may be long before it is told: ISO 8601. */
  timestamp: string;
  data: WebhookData[T];
}

/** `shakr`: another body, and a further signature, for receivers that were written for the original of the interface. */
export const WEBHOOK_SIGNATURES = ['standard', 'shakr'] as const;
export type WebhookSignature = (typeof WEBHOOK_SIGNATURES)[number];

/** The body that endpoints with the signature `shakr` receive. */
export interface VideoEvent {
  /** Id of the session; null in a test. */
  video_id: string | null;
  event: 'finish' | 'fail' | 'test';
  output_url: string | null;
}

export interface CreateWebhookEndpoint {
  url: string;
  description?: string;
  /** All, those of later versions too, when null or absent. */
  types?: WebhookType[] | null;
  /** `standard` when absent; never changes. */
  signature?: WebhookSignature;
}

export type ChangeWebhookEndpoint = Partial<Omit<CreateWebhookEndpoint, 'signature'>> & { enabled?: boolean };

/** Why an endpoint is told nothing: its owner said so, it answered 410, or it failed for days. */
export const DISABLED_REASONS = ['request', 'gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** Where a tenant is told what happens. Times are ISO 8601. */
export interface WebhookEndpoint {
  id: string;
  url: string;
  description: string;
  types: WebhookType[] | null;
  signature: WebhookSignature;
  /** Key of the signature `shakr`; null for `standard`. */
  client_id: string | null;
  enabled: boolean;
  disabled_because: DisabledReason | null;
  /** Since when deliveries have failed for good without one that succeeded. */
  failing_since: string | null;
  created_at: string;
  updated_at: string;
}

/** As it is told when its secret is made, and never again. */
export interface WebhookEndpointWithSecret extends WebhookEndpoint {
  /** `whsec_` and base64 of 32 bytes. */
  secret: string;
}

export const WEBHOOK_DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'canceled'] as const;
export type WebhookDeliveryStatus = (typeof WEBHOOK_DELIVERY_STATUSES)[number];

/** One message on its way to one endpoint. */
export interface WebhookDelivery {
  id: string;
  /** The `webhook-id` of every try. */
  message_id: string;
  type: keyof WebhookData;
  status: WebhookDeliveryStatus;
  /** Oldest first. */
  attempts: WebhookAttempt[];
  /** While it is pending. */
  next_attempt_at: string | null;
  created_at: string;
  ended_at: string | null;
}

export interface WebhookAttempt {
  at: string;
  /** Null where there was no answer. */
  status_code: number | null;
  /** Why it counts as failed: a word of ours or a code of Node's; null when it succeeded. */
  error: string | null;
  duration_ms: number;
}
