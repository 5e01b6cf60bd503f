import { describe, expect, it } from 'vitest';
import { createSchemaCompiler } from '../../../../src/kernel/json-schema/compile-schema.ts';
import { COMPONENTS } from '../../../../src/service/server/http/open-api.ts';
import { describeViolation, informativeViolations } from '../../../../src/service/server/http/problem-response.ts';

const compiler = createSchemaCompiler(COMPONENTS);
const checkRequest = compiler.strict({ $ref: 'CreateRenderSession#' });
const checkWebhook = compiler.strict({ $ref: 'CreateWebhookEndpoint#' });
const mapping = { template_style_version_id: 'tsv_1', resources: {} };

describe('describeViolation()', () => {
  it.each<[string, unknown, object[]]>([
    [
      'an unknown field, with the one that was meant',
      { titles: 'x', title: 'x', mapping },
      [{ code: 'unknown_field', pointer: '#/titles', detail: 'the body has no field "titles"; did you mean title?' }],
    ],
    [
      'an unknown field further down',
      { title: 'x', mapping: { ...mapping, resource: {} } },
      [
        {
          code: 'unknown_field',
          pointer: '#/mapping/resource',
          detail: 'mapping has no field "resource"; did you mean resources?',
        },
      ],
    ],
    [
      'missing fields, all of them',
      {},
      [
        { code: 'missing_field', pointer: '#', detail: 'title is missing' },
        { code: 'missing_field', pointer: '#', detail: 'mapping is missing' },
      ],
    ],
    [
      'another type, without a conversion',
      { title: 1, mapping: [] },
      [
        { code: 'wrong_type', pointer: '#/title', detail: 'title must be a string, not a number' },
        { code: 'wrong_type', pointer: '#/mapping', detail: 'mapping must be an object, not an array' },
      ],
    ],
    [
      'a value that is none of those',
      { title: 'x', mapping, render: 'previw' },
      [{ code: 'invalid_value', pointer: '#/render', detail: 'render must be preview' }],
    ],
    [
      'a length, in characters as people count them',
      { title: '😀'.repeat(256), mapping },
      [{ code: 'invalid_value', pointer: '#/title', detail: 'title must be 1 to 255 characters long' }],
    ],
    ['no body', null, [{ code: 'wrong_type', pointer: '#', detail: 'the body must be an object, not null' }]],
  ])('returns %s', (_what, body, problems) => {
    const violations = informativeViolations(checkRequest(body));
    expect(violations.map((violation) => describeViolation(violation, 'body'))).toEqual(problems);
  });

  it.each<[unknown, string[]]>([
    [{ url: 'https://a', types: [] }, ['types must be a list of 1 to 20 entries']],
    [{ url: 'https://a', types: 'all' }, ['types must be an array, not a string']],
    [{ url: 'https://a', types: ['nope'] }, [expect.stringMatching(/^types\.0 must be one of /)]],
    [{ url: 'https://a', types: null }, []],
  ])('does not add "or null" for %j', (body, details) => {
    const violations = informativeViolations(checkWebhook(body));
    expect(violations.map((violation) => describeViolation(violation, 'body').detail)).toEqual(details);
  });

  it('accepts a title of 255 characters outside the basic multilingual plane', () => {
    expect(checkRequest({ title: '😀'.repeat(255), mapping })).toEqual([]);
  });

  it('points to a query parameter by its name', () => {
    const check = compiler.coercing({
      type: 'object',
      additionalProperties: false,
      properties: { limit: { type: 'integer', minimum: 1, maximum: 100 }, dry_run: { type: 'boolean' } },
    });
    const told = check({ limit: '101', dryrun: 'true' }).map((violation) =>
      describeViolation(violation, 'querystring'),
    );
    expect(told).toEqual([
      {
        code: 'unknown_field',
        pointer: '?dryrun',
        detail: 'the query has no parameter "dryrun"; did you mean dry_run?',
      },
      { code: 'invalid_value', pointer: '?limit', detail: 'limit must be from 1 to 100' },
    ]);
    const query: Record<string, unknown> = { limit: '7', dry_run: 'false' };
    expect(check(query)).toEqual([]);
    expect(query).toEqual({ limit: 7, dry_run: false });
  });

  it('shortens long names', () => {
    const [problem] = checkRequest({ title: 'x', mapping, ['y'.repeat(100_000)]: 1 }).map((one) =>
      describeViolation(one, 'body'),
    );
    expect(problem!.pointer).toBe('#');
    expect(problem!.detail.length).toBeLessThan(100);
  });
});
