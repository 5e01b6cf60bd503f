import { tmpdir } from 'node:os';
import { parseCredentials } from '../../src/contract/destinations/parse-credentials.ts';
import {
  createDestinations,
  type Destinations,
  type DestinationsOptions,
} from '../../src/service/sessions/session-deliveries.ts';

/**
 * Destinations allowed in tests. By default the credential `local` covers `delivered/` in the directory, and `others`,
 * which belongs to another tenant, covers `delivered/other/`.
 */
export function testDestinations(options: Partial<DestinationsOptions> = {}): Destinations {
  const { directory = tmpdir(), isServer = true } = options;
  const written = {
    local: { kind: 'file', allow: ['file:delivered/'] },
    ...(isServer ? { others: { kind: 'file', allow: ['file:delivered/other/'], tenants: ['other'] } } : {}),
  };
  const { credentials } = parseCredentials(written, { isServer, directory });
  return createDestinations({ credentials, isServer, env: {}, directory, ...options });
}
