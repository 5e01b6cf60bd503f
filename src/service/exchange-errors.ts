import { ReelformError } from '../diagnostic.ts';
import { withoutQueries } from './without-queries.ts';

/** No answer of a service is larger, unpacked. */
export const MAX_ANSWER_BYTES = 8 << 20;

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut off',
  ENOTFOUND: 'the host is not known',
  EAI_AGAIN: 'the name server did not answer',
  ETIMEDOUT: 'it took too long',
  EPIPE: 'the connection was cut off',
  ERR_HTTP_INVALID_HEADER_VALUE: 'the token holds characters that a header cannot have',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not signed by anybody who is trusted here',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not signed by anybody who is trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not signed by anybody who is trusted here',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  HPE_INVALID_CONSTANT: 'what answered does not speak HTTP',
};

/**
 * No whole answer came.
 *
 * @param name of the request
 * @param code of what Node threw
 */
export function unreachable(name: string, code: unknown): ReelformError {
  const known = typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? code : 'no reason is known';
  return new ReelformError('service_unreachable', `${withoutQueries(name)}: ${REASONS[known] ?? known}`, {
    hint: 'Look whether the service runs, and at "service" in reelform.yaml',
  });
}

/** @param name of the request */
export function tooLarge(name: string): ReelformError {
  const message = `${withoutQueries(name)} answered more than ${MAX_ANSWER_BYTES >> 20} MiB`;
  return new ReelformError('service_answer_invalid', message, {
    hint: 'Look whether "service" in reelform.yaml is the URL of a service that has the interface',
  });
}
