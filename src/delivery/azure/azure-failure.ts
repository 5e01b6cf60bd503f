import { isRecord } from '../../json.ts';
import { DeliveryFailure } from '../destination.ts';

interface Kind {
  /** Behind the name of the container. */
  readonly says: string;
  readonly isRetryable: boolean;
}

const OTHER_BYTES: Kind = { says: 'got other bytes than were sent', isRetryable: true };

/** @see https://learn.microsoft.com/rest/api/storageservices/blob-service-error-codes */
const CODES: Readonly<Record<string, Kind>> = {
  AuthenticationFailed: {
    says: 'does not take the account key of the credential, or has another time than this machine',
    isRetryable: false,
  },
  ContainerNotFound: { says: 'is not there', isRetryable: false },
  ContainerBeingDeleted: { says: 'is being removed', isRetryable: false },
  AccountIsDisabled: { says: 'is of an account that is disabled', isRetryable: false },
  Md5Mismatch: OTHER_BYTES,
  RequestBodyTooLarge: { says: 'does not take a file of this size', isRetryable: false },
};

/** What an error of the SDK means, in words of our own: its own can hold URLs with signatures, and headers. */
export function azureFailure(error: unknown, place: string): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  const record: Record<string, unknown> = isRecord(error) ? error : {};
  const status = typeof record.statusCode === 'number' ? record.statusCode : null;
  const code = typeof record.code === 'string' && /^\w{1,64}$/.test(record.code) ? record.code : null;
  const told = [code, status].filter((one) => one !== null).join(', ');
  const suffix = told === '' ? '' : ` (${told})`;
  const kind = CODES[code ?? ''];
  if (kind !== undefined) return new DeliveryFailure(`${place} ${kind.says}${suffix}`, kind);
  if (status === 403) {
    return new DeliveryFailure(`${place} may not be used so with this credential${suffix}`, { isRetryable: false });
  }
  if (status === null) return new DeliveryFailure(`${place} cannot be reached${suffix}`, { isRetryable: true });
  const isRetryable = status >= 500 || status === 429 || status === 408;
  return new DeliveryFailure(
    `${place} ${isRetryable ? 'is busy or out of order' : 'answered with an error'}${suffix}`,
    {
      isRetryable,
    },
  );
}

export function isNotFound(error: unknown): boolean {
  return isRecord(error) && error.statusCode === 404 && error.code !== 'ContainerNotFound';
}
