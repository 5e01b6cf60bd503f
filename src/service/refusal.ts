import { EXIT, ReelformError } from '../diagnostic.ts';
import type { ServiceAnswer } from './exchange.ts';
import { isLine, MAX_TEXT, readJson, readProblems } from './read-answer.ts';
import { ServiceError } from './service-error.ts';
import { withoutQueries } from './without-queries.ts';

/**
 * What an answer that is no success says: its own words when it is a problem document, a plain sentence when not.
 *
 * @param name of the request, for messages
 */
export function refusalOf(name: string, { status, text, header }: ServiceAnswer): ServiceError | ReelformError {
  if (status >= 300 && status < 400) return redirected(name, status, header('location'));
  let fields: Readonly<Record<string, unknown>> = {};
  try {
    fields = readJson(name, text);
  } catch {
    // A proxy's page, or nothing: the status has to do.
  }
  const detail = [fields.detail, fields.title].find((one) => typeof one === 'string' && one !== '');
  const message = typeof detail === 'string' ? withoutQueries(detail.slice(0, MAX_TEXT)) : `${name} answered ${status}`;
  if (status === 401 || status === 403) {
    return new ReelformError('service_unauthorized', `The service refused the token: ${message}`, {
      hint: status === 401 ? 'Make a new token, and put it into the environment' : 'Use a token with this scope',
      exitCode: EXIT.authentication,
    });
  }
  const code = isLine(fields.code, 100) ? (fields.code as string) : `http_${status}`;
  return new ServiceError(status, code, message, readProblems(fields.errors));
}

/** A redirected POST would be sent again, with its body, to whom nobody named. */
function redirected(name: string, status: number, location: string | null): ReelformError {
  const to = location === null ? '' : ` to ${location.replace(/[?#].*/s, '')}`;
  return new ReelformError(
    'service_answer_invalid',
    `${name} was redirected${to} (${status}), and no redirect is followed`,
    { hint: 'Write the URL that the service really has into reelform.yaml' },
  );
}
