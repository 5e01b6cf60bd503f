import { readFile } from 'node:fs/promises';
import type { SecretPlace } from './credential.ts';
import { DeliveryFailure } from './destination.ts';

/**
 * The secret that stands at a place, when it is needed: it may change while a server runs. White space around it goes.
 *
 * @param credential the name of the credential, for the message
 * @throws DeliveryFailure when nothing is there; one that cannot be retried
 */
export async function readSecret(
  place: SecretPlace,
  credential: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const [text, what] =
    place.kind === 'env'
      ? [env[place.name], `The environment variable ${place.name}`]
      : [await readFile(place.path, 'utf8').catch(() => undefined), `The file ${place.path}`];
  const secret = text?.trim() ?? '';
  if (secret !== '') return secret;
  const message = `${what}, which the credential ${credential} names, is empty or not there`;
  throw new DeliveryFailure(message, { isRetryable: false });
}
