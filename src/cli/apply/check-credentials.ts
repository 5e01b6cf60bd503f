import type { Credential, SecretSource } from '../../delivery/credential.ts';
import { ReelformError } from '../../diagnostic.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Config } from '../../project/config.ts';
import type { Io } from '../io.ts';

/**
 * Looks whether the secrets of what this machine will write to are in the environment: before anybody is asked, and before
 * anything is rendered. Plans look at no secret.
 *
 * @throws ReelformError `credential_missing`, with all of them
 */
export function checkCredentials(plan: Plan, { service, credentials, assets }: Config, env: Io['env']): void {
  const delivering =
    service === 'embedded' ? plan.changes.flatMap(({ destinations }) => destinations.map((one) => one.credential)) : [];
  const names = new Set([...delivering, service === 'embedded' ? null : (assets?.credential ?? null)]);
  const missing = [...names].flatMap((name) => {
    const credential = name === null ? undefined : credentials.get(name);
    return credential === undefined ? [] : missingOf(credential, env);
  });
  if (missing.length === 0) return;
  const [variable] = missing[0]!;
  const list = missing.map(([name, credential]) => `${name} (credential ${credential})`).join(', ');
  throw new ReelformError('credential_missing', `The environment lacks ${list}`, {
    hint: `export ${variable}=…; in CI, hand it to the job as a secret`,
  });
}

function missingOf(credential: Credential, env: Io['env']): [variable: string, credential: string][] {
  return placesOf(credential).flatMap((place) =>
    place.kind === 'env' && (env[place.name] ?? '').trim() === '' ? [[place.name, credential.name]] : [],
  );
}

function placesOf(credential: Credential): readonly SecretSource[] {
  switch (credential.kind) {
    case 's3':
    case 'gs': {
      if (credential.keys === null) return [];
      const { accessKeyId, secretAccessKey, sessionToken } = credential.keys;
      return [accessKeyId, secretAccessKey, ...(sessionToken === null ? [] : [sessionToken])];
    }
    case 'azblob':
      return [credential.accountKey];
    case 'file':
      return [];
  }
}
