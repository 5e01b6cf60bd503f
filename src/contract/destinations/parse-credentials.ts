import { isAbsolute, resolve } from 'node:path';
import { defined } from '../../kernel/defined.ts';
import { didYouMean } from '../../kernel/hints.ts';
import { isRecord } from '../../kernel/json.ts';
import { allowProblem, CREDENTIAL_KINDS, type Credential, type SecretSource } from './credential.ts';
import type { DeliveryProblem } from './destination-address.ts';

export interface CredentialsOptions {
  /** Whether untrusted requests refer to the credentials; each then needs an `allow` list. */
  readonly isServer: boolean;
  /** Base of relative paths; absolute. */
  readonly directory: string;
}

interface ParsedCredentials {
  /** Valid credentials by name. */
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly problems: readonly DeliveryProblem[];
}

type Kind = Credential['kind'];

const COMMON = ['kind', 'allow', 'public_url', 'tenants', 'default'];
const S3_PROPERTIES = [
  ...COMMON,
  'endpoint',
  'region',
  'path_style',
  ...withFiles('access_key_id', 'secret_access_key', 'session_token'),
];
const CREDENTIAL_PROPERTIES: Readonly<Record<Kind, readonly string[]>> = {
  s3: S3_PROPERTIES,
  gs: S3_PROPERTIES,
  azblob: [...COMMON, 'endpoint', ...withFiles('account_key')],
  file: COMMON,
};
const ALL_PROPERTIES = [...new Set(CREDENTIAL_KINDS.flatMap((kind) => CREDENTIAL_PROPERTIES[kind]))];
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const VARIABLE = /^[A-Za-z_]\w*$/;
/** Matches an Amazon access key id written in place of a variable name. */
const KEY_ID = /^A[KS]IA[A-Z0-9]{16}$/;

/**
 * Parses the `credentials` map of reelform.yaml or of a server's settings and collects all problems. Messages never
 * repeat the text of a property, because users put secrets where names of variables belong.
 *
 * @param value as JSON
 */
export function parseCredentials(value: unknown, options: CredentialsOptions): ParsedCredentials {
  const credentials = new Map<string, Credential>();
  if (!isRecord(value))
    return { credentials, problems: [{ path: [], part: 'value', message: 'credentials must be a map of names' }] };
  const problems: DeliveryProblem[] = [];
  for (const [name, written] of Object.entries(value)) {
    const reader = new CredentialReader(name, written, options);
    const credential = reader.read();
    problems.push(...reader.problems);
    if (reader.problems.length > 0 || credential === null) continue;
    const sameDefault = [...credentials.values()].find((earlier) => areBothDefault(earlier, credential));
    if (sameDefault !== undefined) {
      const message = `${sameDefault.name} is already the default for ${credential.kind}: and the same tenants`;
      problems.push({ path: [name, 'default'], part: 'value', message, hint: 'Remove "default" from one of them' });
    }
    credentials.set(name, credential);
  }
  return { credentials, problems };
}

/**
 * Returns whether two credentials are the default of the same kind for the same tenant. A default for a tenant takes
 * precedence over a default for all tenants.
 */
function areBothDefault(a: Credential, b: Credential): boolean {
  if (!a.isDefault || !b.isDefault || a.kind !== b.kind) return false;
  if (a.tenants === null || b.tenants === null) return a.tenants === b.tenants;
  return a.tenants.some((tenant) => b.tenants?.includes(tenant));
}

function withFiles(...names: string[]): string[] {
  return names.flatMap((name) => [`${name}_env`, `${name}_file`]);
}

class CredentialReader {
  readonly problems: DeliveryProblem[] = [];
  readonly #name: string;
  readonly #written: Readonly<Record<string, unknown>> | null;
  readonly #options: CredentialsOptions;

  constructor(name: string, written: unknown, options: CredentialsOptions) {
    this.#name = name;
    this.#written = isRecord(written) ? written : null;
    this.#options = options;
  }

  /** Returns null if the kind is unknown. The result is only valid if there are no problems. */
  read(): Credential | null {
    if (!NAME.test(this.#name)) {
      this.#problem([], 'The name of a credential must have 1 to 64 letters, digits, dots, dashes and underscores');
    }
    if (this.#written === null) {
      this.#problem([], 'A credential must be a map of properties', 'Write "kind" and the properties of that kind');
      return null;
    }
    const kind = CREDENTIAL_KINDS.find((known) => known === this.#written?.kind);
    if (kind === undefined) {
      this.#refuseUnknown(null);
      this.#problem(['kind'], `kind must be one of ${CREDENTIAL_KINDS.join(', ')}`);
      return null;
    }
    this.#refuseUnknown(kind);
    const common = {
      name: this.#name,
      allow: this.#allow(kind),
      publicUrl: this.#url('public_url', '/'),
      tenants: this.#tenants(),
      ...(this.#isDefault() ? { isDefault: true } : {}),
    };
    switch (kind) {
      case 's3':
      case 'gs':
        return {
          ...common,
          kind,
          endpoint: this.#url('endpoint', ''),
          region: this.#text('region', /^[a-z0-9-]{1,64}$/, 'a region such as eu-central-1, or auto'),
          pathStyle: this.#flag('path_style'),
          keys: this.#keys(kind),
        };
      case 'azblob':
        return {
          ...common,
          kind,
          endpoint: this.#url('endpoint', ''),
          accountKey: this.#secret('account_key', true) ?? NOWHERE,
        };
      case 'file':
        return { ...common, kind, allow: common.allow ?? [], directory: this.#options.directory };
    }
  }

  /** @param kind null if unknown: then the properties of all kinds are accepted */
  #refuseUnknown(kind: Kind | null): void {
    const properties = kind === null ? ALL_PROPERTIES : CREDENTIAL_PROPERTIES[kind];
    const whose = kind === null ? 'A credential' : `A credential of the kind ${kind}`;
    for (const name of Object.keys(this.#written ?? {})) {
      if (properties.includes(name)) continue;
      if (properties.includes(`${name}_env`)) {
        const hint = `Put it into an environment variable, and write the name of the variable as ${name}_env`;
        this.#problem([name], `${name} would store a secret in a file`, hint, 'key');
        continue;
      }
      const hint = didYouMean(name, properties) ?? `The properties are ${properties.join(', ')}`;
      this.#problem([name], `${whose} has no property of this name`, hint, 'key');
    }
  }

  #allow(kind: Kind): readonly string[] | null {
    const written = this.#written?.allow;
    if (written === undefined) {
      if (this.#options.isServer || kind === 'file') {
        this.#problem(
          [],
          'A credential needs "allow", the list of permitted destinations',
          `Write allow: ["${EXAMPLES[kind]}"]`,
        );
      }
      return null;
    }
    if (!Array.isArray(written) || written.length === 0 || !written.every((item) => typeof item === 'string')) {
      this.#problem(['allow'], 'allow must be a list of destinations', `Write allow: ["${EXAMPLES[kind]}"]`);
      return null;
    }
    for (const [index, prefix] of written.entries()) {
      const message = allowProblem(kind, prefix);
      if (message !== null) this.#problem(['allow', String(index)], message, `Write ${EXAMPLES[kind]}`);
    }
    return written;
  }

  #tenants(): readonly string[] | null {
    const written = this.#written?.tenants;
    if (written === undefined) return null;
    if (!this.#options.isServer) {
      this.#problem(['tenants'], 'tenants is only available on a server', 'Leave it out', 'key');
      return null;
    }
    if (!Array.isArray(written) || !written.every((item) => typeof item === 'string' && item !== '')) {
      this.#problem(['tenants'], 'tenants must be a list of tenant names');
      return null;
    }
    return written;
  }

  #isDefault(): boolean {
    if (this.#written?.default === undefined) return false;
    if (this.#options.isServer) return this.#flag('default');
    this.#problem(['default'], 'default is only available on a server', 'Leave it out', 'key');
    return false;
  }

  #keys(kind: 's3' | 'gs'): Extract<Credential, { kind: 's3' | 'gs' }>['keys'] {
    const isNeeded = kind === 'gs' || ['access_key_id', 'secret_access_key', 'session_token'].some(this.#isSaid);
    const accessKeyId = this.#secret('access_key_id', isNeeded);
    const secretAccessKey = this.#secret('secret_access_key', isNeeded);
    const sessionToken = this.#secret('session_token', false);
    return accessKeyId === null || secretAccessKey === null ? null : { accessKeyId, secretAccessKey, sessionToken };
  }

  readonly #isSaid = (name: string): boolean =>
    this.#written?.[`${name}_env`] !== undefined || this.#written?.[`${name}_file`] !== undefined;

  #secret(name: string, isNeeded: boolean): SecretSource | null {
    const [variable, file] = [this.#written?.[`${name}_env`], this.#written?.[`${name}_file`]];
    if (file !== undefined) return this.#secretFile(name, file, variable !== undefined);
    if (variable === undefined) {
      if (isNeeded) this.#problem([], `The credential has no ${name}`, `Write ${name}_env: …`);
      return null;
    }
    if (typeof variable !== 'string' || !VARIABLE.test(variable) || KEY_ID.test(variable)) {
      const hint = 'Write the name of an environment variable, not the secret itself';
      this.#problem([`${name}_env`], `${name}_env must be the name of an environment variable`, hint);
      return null;
    }
    return { kind: 'env', name: variable };
  }

  #secretFile(name: string, path: unknown, isTwice: boolean): SecretSource | null {
    const property = `${name}_file`;
    if (!this.#options.isServer) {
      const hint = `Put it into an environment variable, and write the name of the variable as ${name}_env`;
      this.#problem([property], `${property} is only available on a server`, hint, 'key');
    } else if (isTwice) {
      this.#problem([property], `${name}_env and ${property} exclude each other`, 'Remove one of them', 'key');
    } else if (typeof path !== 'string' || path === '' || path.includes('\0')) {
      this.#problem([property], `${property} must be the path of a file`);
    } else {
      return { kind: 'file', path: isAbsolute(path) ? path : resolve(this.#options.directory, path) };
    }
    return null;
  }

  /** @param end appended after trailing slashes are removed */
  #url(property: string, end: '' | '/'): string | null {
    const url = this.#text(
      property,
      /^https?:\/\/[^\s/?#@\\]+(?:\/[^\s?#\\]*)?$/i,
      'an http(s) URL without user or query',
    );
    if (url !== null && !URL.canParse(url)) {
      this.#problem([property], `${property} must be an http(s) URL without user or query`);
    }
    return url === null ? null : `${url.replace(/\/+$/, '')}${end}`;
  }

  #text(property: string, pattern: RegExp, expected: string): string | null {
    const written = this.#written?.[property];
    if (written === undefined) return null;
    if (typeof written === 'string' && pattern.test(written)) return written;
    this.#problem([property], `${property} must be ${expected}`);
    return null;
  }

  #flag(property: string): boolean {
    const written = this.#written?.[property] ?? false;
    if (typeof written !== 'boolean') this.#problem([property], `${property} must be true or false`);
    return written === true;
  }

  #problem(path: readonly string[], message: string, hint?: string, part: DeliveryProblem['part'] = 'value'): void {
    this.problems.push({ path: [this.#name, ...path], part, message, ...defined({ hint }) });
  }
}

/** Placeholder for a credential with a problem. */
const NOWHERE: SecretSource = { kind: 'env', name: '' };

const EXAMPLES: Readonly<Record<Kind, string>> = {
  s3: 's3://bucket/',
  gs: 'gs://bucket/',
  azblob: 'azblob://account/container/',
  file: 'file:folder/',
};
