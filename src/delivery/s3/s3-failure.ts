import { isRecord } from '../../json.ts';
import { DeliveryFailure } from '../destination.ts';

interface Kind {
  /** Predicate; follows the name of the bucket. */
  readonly says: string;
  readonly isRetryable: boolean;
}

const REFUSED: Kind = { says: 'denied access with this credential', isRetryable: false };
const OTHER_BYTES: Kind = { says: 'received different bytes than were sent', isRetryable: true };
const OTHER_REGION: Kind = { says: 'is in a different region than the credential', isRetryable: false };
const EXPIRED: Kind = { says: 'rejected the session token as expired', isRetryable: true };
const FULL: Kind = { says: 'has no space left', isRetryable: true };
const BUSY: Kind = { says: 'is busy or unavailable', isRetryable: true };

/** Error codes of S3 and compatible stores. @see https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
const CODES: Readonly<Record<string, Kind>> = {
  AccessDenied: REFUSED,
  AllAccessDisabled: REFUSED,
  AccountProblem: REFUSED,
  InvalidAccessKeyId: { says: 'rejected the access key of the credential as unknown', isRetryable: false },
  SignatureDoesNotMatch: { says: 'rejected the secret access key of the credential', isRetryable: false },
  ExpiredToken: EXPIRED,
  InvalidToken: EXPIRED,
  RequestTimeTooSkewed: { says: 'rejected the request because the clock of this machine differs', isRetryable: true },
  NoSuchBucket: { says: 'does not exist', isRetryable: false },
  PermanentRedirect: OTHER_REGION,
  AuthorizationHeaderMalformed: OTHER_REGION,
  IllegalLocationConstraintException: OTHER_REGION,
  BadDigest: OTHER_BYTES,
  XAmzContentSHA256Mismatch: OTHER_BYTES,
  IncompleteBody: OTHER_BYTES,
  EntityTooLarge: { says: 'does not accept a file of this size', isRetryable: false },
  QuotaExceeded: FULL,
  XMinioStorageFull: FULL,
  SlowDown: BUSY,
  RequestTimeout: { says: 'did not receive the bytes in time', isRetryable: true },
  TimeoutError: { says: 'did not respond in time', isRetryable: true },
  CredentialsProviderError: {
    says: 'cannot be accessed without keys: neither a credential nor the environment provides them',
    isRetryable: false,
  },
};

const STATUSES: Readonly<Record<number, Kind>> = { 301: OTHER_REGION, 403: REFUSED, 429: BUSY, 507: FULL };

/** Node error codes for an invalid server certificate. */
const CERTIFICATE = /^(?:CERT_|ERR_TLS_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

/**
 * Converts an SDK error to a message of our own, because SDK messages can contain signed URLs and headers.
 *
 * @param place name of the bucket
 */
export function s3Failure(error: unknown, place: string): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  const { name, code, status } = describe(error);
  const told = [name === 'Error' ? null : name, status].filter((one) => one !== null).join(', ');
  const suffix = told === '' ? '' : ` (${told})`;
  const kind = CODES[name] ?? (status === null ? undefined : STATUSES[status]);
  if (kind !== undefined) return new DeliveryFailure(`${place} ${kind.says}${suffix}`, kind);
  if (status !== null && status >= 500) return new DeliveryFailure(`${place} ${BUSY.says}${suffix}`, BUSY);
  if (code !== null) {
    const isCertificate = CERTIFICATE.test(code);
    const what = isCertificate ? 'has a certificate that is not trusted' : 'is unreachable';
    return new DeliveryFailure(`${place} ${what} (${code})`, { isRetryable: !isCertificate });
  }
  if (error instanceof Error && /^Region is missing/.test(error.message)) {
    return new DeliveryFailure(`${place} needs a region: add one to the credential`, { isRetryable: false });
  }
  return new DeliveryFailure(`${place} returned an error${suffix}`, {
    isRetryable: status === null || status < 400,
  });
}

/** Reports whether a key or a multipart upload does not exist. */
export function isGone(error: unknown): boolean {
  const { name, status } = describe(error);
  return ['NoSuchKey', 'NotFound', 'NoSuchUpload'].includes(name) || (status === 404 && name !== 'NoSuchBucket');
}

/** Reports whether the store does not implement a call. */
export function isUnsupported(error: unknown): boolean {
  const { name, status } = describe(error);
  return ['NotImplemented', 'MethodNotAllowed'].includes(name) || status === 501 || status === 405;
}

function describe(error: unknown): { name: string; code: string | null; status: number | null } {
  const record: Record<string, unknown> = isRecord(error) ? error : {};
  const metadata = isRecord(record.$metadata) ? record.$metadata : {};
  const status = typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : null;
  const name = error instanceof Error && /^[A-Za-z0-9.]{1,64}$/.test(error.name) ? error.name : 'Error';
  const code = typeof record.code === 'string' && /^[A-Z0-9_]{1,64}$/.test(record.code) ? record.code : null;
  return { name, code: status === null ? code : null, status };
}
