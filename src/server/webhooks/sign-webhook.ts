import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** What is signed: the same for each secret. */
export interface SignedMessage {
  readonly id: string;
  /** Milliseconds since the epoch, of this try. */
  readonly atMs: number;
  readonly body: string;
}

/** A new secret of an endpoint: `whsec_` and base64 of 256 bits of chance. */
export function createWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The three headers by which a receiver knows that a message is ours and new, one signature for each secret.
 *
 * @param secrets as `createWebhookSecret` makes them
 * @see Standard Webhooks 1.0, "Webhook headers"
 */
export function signWebhook({ id, atMs, body }: SignedMessage, secrets: readonly string[]): Record<string, string> {
  const seconds = String(Math.floor(atMs / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') };
}

/** The further header of the signature `shakr`: over the body alone, so that it does not protect against replays. */
export function signBody(body: string, clientId: string): Record<string, string> {
  return { 'x-shakr-signature': `sha256=${createHmac('sha256', clientId).update(body).digest('hex')}` };
}
