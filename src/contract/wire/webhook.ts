import type { RenderSession } from './render-session.ts';
import type { StyleVersionDetails } from './style-version.ts';

/** Event types that endpoints can subscribe to. */
export const WEBHOOK_TYPES = [
  'render_session.status.changed',
  'render_session.external_upload.complete',
  'template_style_version.status.changed',
] as const;

export type WebhookType = (typeof WEBHOOK_TYPES)[number];

/** Type of the event that `…/test` sends, regardless of the endpoint's types. */
export const TEST_TYPE = 'webhook_endpoint.test';

/** The `data` of each event type. */
export interface WebhookData {
  /** State at the time of the event, without `download_url`, which would expire before a late attempt. */
  'render_session.status.changed': { render_session: RenderSession };
  'render_session.external_upload.complete': { render_session_id: string; to: string; remote_id: string | null };
  'template_style_version.status.changed': { style_version: StyleVersionDetails };
  'webhook_endpoint.test': { webhook_endpoint_id: string };
}

/** Body of a webhook event. @see Standard Webhooks 1.0, "Payload structure" */
export interface WebhookBody<T extends keyof WebhookData = keyof WebhookData> {
  type: T;
  /** Time of the event in ISO 8601, which can be long before the attempt. */
  timestamp: string;
  data: WebhookData[T];
}

/** `shakr` uses another body and a second signature, for receivers written for the original interface. */
export const WEBHOOK_SIGNATURES = ['standard', 'shakr'] as const;
type WebhookSignature = (typeof WEBHOOK_SIGNATURES)[number];

/** Body for endpoints with the signature `shakr`. */
export interface VideoEvent {
  /** Id of the session; null in a test. */
  video_id: string | null;
  event: 'finish' | 'fail' | 'test';
  output_url: string | null;
}

export interface CreateWebhookEndpoint {
  url: string;
  description?: string;
  /** Null or absent subscribes to all types, including future ones. */
  types?: WebhookType[] | null;
  /** `standard` by default; immutable. */
  signature?: WebhookSignature;
}

export type ChangeWebhookEndpoint = Partial<Omit<CreateWebhookEndpoint, 'signature'>> & { enabled?: boolean };

/** Why an endpoint is disabled: by request, because it answered 410, or because it failed for days. */
export const DISABLED_REASONS = ['request', 'gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** A webhook endpoint of a tenant. Times are ISO 8601. */
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
  /** Start of the current series of events that failed permanently; null if there is none. */
  failing_since: string | null;
  created_at: string;
  updated_at: string;
}

/** Returned once, when its secret is created. */
export interface WebhookEndpointWithSecret extends WebhookEndpoint {
  /** `whsec_` and base64 of 32 bytes. */
  secret: string;
}

export const WEBHOOK_DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'canceled'] as const;
export type WebhookDeliveryStatus = (typeof WEBHOOK_DELIVERY_STATUSES)[number];

/** A webhook event and its attempts at an endpoint. */
export interface WebhookDelivery {
  id: string;
  /** The `webhook-id` of every attempt. */
  message_id: string;
  type: keyof WebhookData;
  /** The `webhook_url` of the session; null for the URL of the endpoint. */
  url: string | null;
  status: WebhookDeliveryStatus;
  /** Oldest first. */
  attempts: WebhookAttempt[];
  /** Set while pending. */
  next_attempt_at: string | null;
  created_at: string;
  ended_at: string | null;
}

export interface WebhookAttempt {
  at: string;
  /** Null if there was no answer. */
  status_code: number | null;
  /** A word of ours or a Node error code; null on success. */
  error: string | null;
  duration_ms: number;
}
