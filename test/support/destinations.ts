import { tmpdir } from 'node:os';
import { createDestinations, type Destinations, type DestinationsOptions } from '../../src/session/destinations.ts';

/** Where a test's videos may go: nowhere, unless it says so. */
export function testDestinations(options: Partial<DestinationsOptions> = {}): Destinations {
  return createDestinations({ credentials: new Map(), isServer: true, env: {}, directory: tmpdir(), ...options });
}
