import { isRecord } from '../../json.ts';
import { DeliveryFailure } from '../destination.ts';

interface Kind {
  /** Predicate; follows the name of the bucket. */
  readonly says: string;
  readonly isRetryable: boolean;
}

const REFUSED: Kind = { says: 'may not be used so with this credential: access was denied', isRetryable: false };
const OTHER_BYTES: Kind = { says: 'got other bytes than were sent', isRetryable: true };
const OTHER_REGION: Kind = { says: 'is in another region than the credential says', isRetryable: false };
const EXPIRED: Kind = { says: 'does not take the session token any more', isRetryable: true };
const FULL: Kind = { says: 'has no room left', isRetryable: true };
const BUSY: Kind = { says: 'is busy or out of order', isRetryable: true };

/** Error codes of S3 and compatible stores. @see https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
const CODES: Readonly<Record<string, Kind>> = {
  AccessDenied: REFUSED,
  AllAccessDisabled: REFUSED,
  AccountProblem: REFUSED,
  InvalidAccessKeyId: { says: 'does not know the access key of the credential', isRetryable: false },
  SignatureDoesNotMatch: { says: 'does not take the secret access key of the credential', isRetryable: false },
  ExpiredToken: EXPIRED,
  InvalidToken: EXPIRED,
  RequestTimeTooSkewed: { says: 'has another time than the clock of this machine', isRetryable: true },
  NoSuchBucket: { says: 'is not there', isRetryable: false },
  PermanentRedirect: OTHER_REGION,
  AuthorizationHeaderMalformed: OTHER_REGION,
  IllegalLocationConstraintException: OTHER_REGION,
  BadDigest: OTHER_BYTES,
  XAmzContentSHA256Mismatch: OTHER_BYTES,
  IncompleteBody: OTHER_BYTES,
  EntityTooLarge: { says: 'does not take a file of this size', isRetryable: false },
  QuotaExceeded: FULL,
  XMinioStorageFull: FULL,
  SlowDown: BUSY,
  RequestTimeout: { says: 'did not get the bytes in time', isRetryable: true },
  TimeoutError: { says: 'did not answer in time', isRetryable: true },
  CredentialsProviderError: {
    says: 'is asked without keys: neither a credential nor the environment has any',
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
    const what = isCertificate ? 'has a certificate that is not trusted' : 'cannot be reached';
    return new DeliveryFailure(`${place} ${what} (${code})`, { isRetryable: !isCertificate });
  }
  if (error instanceof Error && /^Region is missing/.test(error.message)) {
    return new DeliveryFailure(`${place} is asked without a region: give the credential one`, { isRetryable: false });
  }
  return new DeliveryFailure(`${place} answered with an error${suffix}`, {
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
