import type { Credential, SecretPlace } from '../delivery/credential.ts';
import type { Config } from './config.ts';

/** The environment variables that a configuration says hold a token or a key. */
export function secretNames({ service, credentials }: Pick<Config, 'service' | 'credentials'>): string[] {
  const places = [...credentials.values()].flatMap(placesOf);
  const named = places.flatMap((place) => (place?.kind === 'env' ? [place.name] : []));
  return service === 'embedded' ? named : [service.tokenEnv, ...named];
}

function placesOf(credential: Credential): (SecretPlace | null)[] {
  switch (credential.kind) {
    case 's3':
    case 'gs': {
      const { keys } = credential;
      return keys === null ? [] : [keys.accessKeyId, keys.secretAccessKey, keys.sessionToken];
    }
    case 'azblob':
      return [credential.accountKey];
    case 'file':
      return [];
  }
}
