import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import configSchema from '../../../schemas/reelform-config.schema.json' with { type: 'json' };
import { EDITOR_KEYWORDS, type JsonSchema, STRICT_OPTIONS } from '../../../src/kernel/json-schema/json-schema.ts';
import { predicateOf } from '../../../src/kernel/json-schema/predicate.ts';
import {
  additionsSchema,
  definitionFileSchema,
  definitionSchema,
} from '../../../src/reconciler/schema/definition-schema.ts';
import { placementSchema } from '../../../src/reconciler/schema/placement-schemas.ts';
import { kindSchemas } from '../../../src/reconciler/schema/resource-schemas.ts';
import { runs } from '../../support/full-run.ts';
import { LAUNCH_SPEC } from '../../support/launch-spec.ts';

const template = { name: 'launch', spec: LAUNCH_SPEC };
const named = kindSchemas(Object.values(LAUNCH_SPEC.editables), 'video');

function compile(schema: JsonSchema): (value: unknown) => boolean {
  const ajv = new Ajv({ ...STRICT_OPTIONS, code: { optimize: false } });
  ajv.addVocabulary(EDITOR_KEYWORDS);
  for (const [name, kind] of Object.entries(named)) ajv.addSchema(kind, name);
  return ajv.compile(schema);
}

const LITERALS = [
  0,
  -0,
  1,
  2,
  0.1,
  0.3,
  1e21,
  -1,
  3.5,
  720,
  '',
  'a',
  'x y',
  '#EEADA7',
  './a.png',
  '${x}',
  'é😀',
  true,
  null,
];
const NUMBERS = [Number.NaN, Number.POSITIVE_INFINITY];

/** Values that satisfy much of a schema: those that it names, and of its types. */
function valuesOf(schema: JsonSchema | boolean | undefined, depth = 0): fc.Arbitrary<unknown> {
  const any = fc.oneof(fc.constantFrom<unknown>(...LITERALS, ...NUMBERS, [], {}), fc.jsonValue({ maxDepth: 1 }));
  if (typeof schema !== 'object' || depth > 3) return any;
  const within = (inner: JsonSchema | boolean | undefined) => valuesOf(inner, depth + 1);
  const given = [schema.const, schema.default, ...(schema.enum ?? []), ...(schema.examples ?? [])];
  const limits = [schema.minimum, schema.maximum, schema.exclusiveMinimum, schema.multipleOf];
  const near = limits.flatMap((limit) => (limit === undefined ? [] : [limit, limit + 1, limit - 1]));
  const constants = [...given.filter((value) => value !== undefined), ...near];
  const objects =
    schema.properties === undefined && typeof schema.additionalProperties !== 'object'
      ? []
      : [
          fc.record(
            Object.fromEntries(
              Object.entries({ ...schema.properties, other: schema.additionalProperties }).map(([name, property]) => [
                name,
                within(property),
              ]),
            ),
            { requiredKeys: (schema.required ?? []).filter((name) => Object.hasOwn(schema.properties ?? {}, name)) },
          ),
        ];
  const nested = [schema.then, schema.else, schema.if, ...(schema.allOf ?? []), ...(schema.anyOf ?? [])];
  const references = schema.$ref === undefined ? [] : [within(named[schema.$ref])];
  return fc.oneof(
    any,
    ...(constants.length === 0 ? [] : [{ arbitrary: fc.constantFrom<unknown>(...constants), weight: 4 }]),
    ...objects.map((arbitrary) => ({ arbitrary, weight: 4 })),
    ...(schema.items === undefined ? [] : [{ arbitrary: fc.array(within(schema.items), { maxLength: 3 }), weight: 4 }]),
    ...nested.flatMap((inner) => (inner === undefined ? [] : [{ arbitrary: within(inner), weight: 3 }])),
    ...references.map((arbitrary) => ({ arbitrary, weight: 6 })),
  );
}

const seen = new Set<string>();

/** Returns the schemas in a schema that no other schema has had. */
function newPartsOf(schema: JsonSchema): JsonSchema[] {
  return partsOf(schema).filter((part) => {
    const text = JSON.stringify(part);
    return !seen.has(text) && seen.add(text);
  });
}

function partsOf(schema: JsonSchema): JsonSchema[] {
  const { properties = {}, items, additionalProperties, propertyNames, not, allOf = [], anyOf = [] } = schema;
  const inner = [...Object.values(properties), items, additionalProperties, propertyNames, not, ...allOf, ...anyOf];
  const conditions = [schema.if, schema.then, schema.else];
  const objects = [...inner, ...conditions].filter((part): part is JsonSchema => typeof part === 'object');
  return [schema, ...objects.flatMap(partsOf)];
}

it.each<[string, JsonSchema]>([
  ['reelform.yaml', configSchema as unknown as JsonSchema],
  ['definition files', definitionFileSchema()],
  ['videos of any template', definitionSchema(null, 'video')],
  ['videos of a template', definitionSchema(template, 'video')],
  ['what a definition adds', additionsSchema(template)],
  ['the length and place of a scene', placementSchema()],
  ...Object.entries(named),
])('a predicate accepts what Ajv accepts: %s', (_, schema) => {
  for (const part of newPartsOf(schema)) {
    const accepts = compile(part);
    const satisfies = predicateOf(part, named);
    fc.assert(
      fc.property(valuesOf(part), (value) => {
        const isValid = accepts(value);
        expect(satisfies(value)).toBe(isValid);
      }),
      { numRuns: runs(300) },
    );
  }
});

it('a predicate accepts and refuses documents', () => {
  const whole = { template: 'launch', title: 'Summer', resources: { t_01: 'Hello', c_01: '#EEADA7' } };
  const satisfies = predicateOf(definitionSchema(template, 'video'), named);
  expect(satisfies({ ...whole, title: 1 })).toBe(false);
  const image = { '(Footage)/USER/hero.jpg': './hero.jpg' };
  expect(satisfies({ ...whole, resources: { ...whole.resources, ...image } })).toBe(true);
});

it('a predicate refuses a schema with a keyword or name that it does not know', () => {
  expect(() => predicateOf({ oneOf: [] } as JsonSchema)(1)).toThrow('unknown keyword oneOf');
  expect(() => predicateOf({ $ref: 'nothing' })(1)).toThrow('unknown schema nothing');
});
