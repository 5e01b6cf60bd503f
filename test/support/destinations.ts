import { tmpdir } from 'node:os';
import { parseCredentials } from '../../src/delivery/parse-credentials.ts';
import {
  createDestinations,
  type Destinations,
  type DestinationsOptions,
} from '../../src/session/session-deliveries.ts';

/**
 * Where a test's videos may go: unless it says more, below `delivered/` of the directory, by the credential `local`, and
 * below `delivered/other/` by `others`, which is another tenant's.
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
