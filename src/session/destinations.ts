import { targetProblem } from '../delivery/allow.ts';
import type { Credential } from '../delivery/credential.ts';
import type { DeliveryProblem } from '../delivery/delivery-problem.ts';
import { DeliveryFailure, type Destination } from '../delivery/destination.ts';
import { openDestination } from '../delivery/open-destination.ts';
import { parseTarget, targetKind } from '../delivery/target.ts';
import { closestMatch } from '../hints.ts';
import type { ExternalUploadRequest } from '../wire/external-upload.ts';
import type { TenantId } from './ports.ts';

/** What is wrong with one upload that is asked for. */
export interface UploadProblem {
  readonly code: 'target_invalid' | 'target_forbidden' | 'unknown_credential' | 'missing_credential';
  readonly field: 'to' | 'credential';
  readonly detail: string;
}

/** Where finished videos may go, and with what right. */
export interface Destinations {
  /** An upload with the name of the tenant's default credential for its kind of place, where it names none. */
  complete(tenant: TenantId, upload: ExternalUploadRequest): ExternalUploadRequest;
  /** What is wrong with an upload whose placeholders are filled. */
  check(tenant: TenantId, upload: ExternalUploadRequest): UploadProblem[];
  /** Where a tenant's videos go without being asked. */
  defaults(tenant: TenantId): readonly ExternalUploadRequest[];
  /** @throws DeliveryFailure when it may not be written to (any more), or a secret is missing */
  open(tenant: TenantId, upload: ExternalUploadRequest): Promise<Destination>;
}

export interface DestinationsOptions {
  /** By name. */
  readonly credentials: ReadonlyMap<string, Credential>;
  /** Of tenants; `*` for those of all of them. */
  readonly defaults?: ReadonlyMap<string, readonly ExternalUploadRequest[]>;
  /** Whether requests are strangers': then each needs a credential. Otherwise one without is the user's own right. */
  readonly isServer: boolean;
  /** Where secrets stand that a credential names. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where relative paths start without a credential; absolute. */
  readonly directory: string;
}

/** @see Destinations */
export function createDestinations(options: DestinationsOptions): Destinations {
  const { credentials, defaults = new Map(), env, directory } = options;
  const check = (tenant: TenantId, upload: ExternalUploadRequest): UploadProblem[] =>
    checkUpload(upload, [...credentials.values()].filter(isFor(tenant)), options);
  return {
    complete(tenant, upload) {
      const credential = upload.credential === undefined ? defaultCredential(tenant, upload.to, credentials) : null;
      return credential === null ? upload : { ...upload, credential: credential.name };
    },
    check,
    defaults: (tenant) => [...(defaults.get(tenant) ?? []), ...(defaults.get('*') ?? [])],
    async open(tenant, upload) {
      const [problem] = check(tenant, upload);
      const parsed = parseTarget(upload.to);
      if (problem !== undefined || !parsed.ok) {
        throw new DeliveryFailure(problem?.detail ?? 'The place cannot be read', { isRetryable: false });
      }
      const credential = upload.credential === undefined ? null : (credentials.get(upload.credential) ?? null);
      return openDestination(parsed.target, credential, { env, directory });
    },
  };
}

/** Whether a tenant may use a credential: what is another's is not there. */
function isFor(tenant: string): (credential: Credential) => boolean {
  return ({ tenants }) => tenants === null || tenants.includes(tenant);
}

/** A tenant's own comes before one for everybody. */
function defaultCredential(
  tenant: TenantId,
  to: string,
  credentials: DestinationsOptions['credentials'],
): Credential | null {
  const kind = targetKind(to);
  const usable = [...credentials.values()].filter((one) => one.isDefault && one.kind === kind && isFor(tenant)(one));
  return usable.find(({ tenants }) => tenants !== null) ?? usable[0] ?? null;
}

function checkUpload(
  { to, credential: name }: ExternalUploadRequest,
  credentials: readonly Credential[],
  { isServer }: Pick<DestinationsOptions, 'isServer'>,
): UploadProblem[] {
  const parsed = parseTarget(to);
  const problems: UploadProblem[] = parsed.ok
    ? []
    : [{ code: 'target_invalid', field: 'to', detail: problemText(parsed.problem) }];
  if (name === undefined) {
    if (isServer) problems.push({ code: 'missing_credential', field: 'credential', detail: whichOne(credentials) });
    return problems;
  }
  const credential = credentials.find((one) => one.name === name);
  if (credential === undefined) {
    const meant = closestMatch(
      name,
      credentials.map((one) => one.name),
    );
    const hint = meant === null ? '' : `; did you mean ${meant}?`;
    const detail = `there is no credential ${JSON.stringify(name)}${hint}`;
    return [...problems, { code: 'unknown_credential', field: 'credential', detail }];
  }
  const problem = parsed.ok ? targetProblem(parsed.target, credential) : null;
  if (problem !== null) problems.push({ code: 'target_forbidden', field: 'to', detail: problemText(problem) });
  return problems;
}

function whichOne(credentials: readonly Credential[]): string {
  if (credentials.length === 0) return 'a credential is missing, and the service has none for you';
  return `a credential is missing: one of ${credentials.map(({ name }) => name).join(', ')}`;
}

/** A problem as part of a sentence. */
export function problemText({ message, hint }: DeliveryProblem): string {
  return [message, ...(hint === undefined ? [] : [hint])]
    .map((text) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`)
    .join('; ');
}
