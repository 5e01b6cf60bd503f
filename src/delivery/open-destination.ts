import type { Credential } from './credential.ts';
import { DeliveryFailure, type Destination } from './destination.ts';
import type { Target } from './target.ts';

export interface OpenOptions {
  /** Where secrets stand that a credential names. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where relative paths start without a credential; absolute. */
  readonly directory: string;
}

/**
 * What writes to a target with the right that a credential gives; null: with what the AWS SDK finds by itself, and below
 * the directory. Reads the secrets, asks nobody. Whether the credential allows the target is looked at once more.
 *
 * @throws DeliveryFailure that cannot be retried: a secret is not there, the target is not allowed, a package is missing
 */
export async function openDestination(
  _target: Target,
  _credential: Credential | null,
  _options: OpenOptions,
): Promise<Destination> {
  throw new DeliveryFailure('Deliveries are being built', { isRetryable: false });
}
