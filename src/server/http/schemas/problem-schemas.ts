import { SERVICE_CODES } from '../../../service/service-codes.ts';
import { EXAMPLES } from './examples.ts';
import { type Component, listOf, objectOf, ref } from './json-schema.ts';

export const REQUEST_PROBLEM: Component = {
  $id: 'RequestProblem',
  description: 'One mistake in a request.',
  ...objectOf({
    code: { type: 'string', description: 'For programs', examples: ['missing_editable'] },
    pointer: {
      type: 'string',
      description:
        'Where: a JSON pointer into the body as a URI fragment, `?name` for a parameter of the query, or a place in an uploaded package',
      examples: ['#/mapping/resources/t_01'],
    },
    detail: { type: 'string', description: 'For people', examples: ['t_01 is not filled'] },
  }),
};

export const PROBLEM: Component = {
  $id: 'Problem',
  examples: [EXAMPLES.problem],
  description: 'Every error, as RFC 9457 has it. All mistakes of a request are told at once.',
  ...objectOf({
    type: { type: 'string', format: 'uri-reference', description: 'Leads to the code on this page' },
    title: { type: 'string', description: 'What the code means' },
    status: { type: 'integer', description: 'The HTTP status' },
    detail: { type: 'string', description: 'What was wrong this time' },
    instance: { type: 'string', description: 'The path of the request' },
    code: { type: 'string', description: `One of ${Object.keys(SERVICE_CODES).join(', ')}; more may come` },
    request_id: {
      type: 'string',
      description: 'The `X-Request-Id` of the answer: the name of this request in the log',
    },
    errors: listOf(ref(REQUEST_PROBLEM), { description: 'Each mistake; at most 100' }),
  }),
};
