import { serviceError } from '../../service/service-error.ts';

/**
 * Lets through what PostgreSQL can hold. An id out of a URL may carry a NUL, which its protocol would cut or refuse with
 * an error that says nothing to the client.
 *
 * @throws ServiceError 400
 */
export function refuseNul(values: readonly unknown[]): void {
  if (values.some((value) => typeof value === 'string' && value.includes('\0'))) {
    throw serviceError('bad_request', 'A text of the request holds a NUL character');
  }
}
