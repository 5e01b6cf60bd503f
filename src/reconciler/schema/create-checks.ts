import { createRequire } from 'node:module';
import type { Ajv, ErrorObject } from 'ajv';
import configSchema from '../../../schemas/reelform-config.schema.json' with { type: 'json' };
import type { Check } from '../../kernel/diagnostic.ts';
import { isRecord } from '../../kernel/json.ts';
import { EDITOR_KEYWORDS, type JsonSchema, STRICT_OPTIONS } from '../../kernel/json-schema/json-schema.ts';
import { type NamedSchemas, predicateOf } from '../../kernel/json-schema/predicate.ts';
import { violationsOf } from '../../kernel/json-schema/violation.ts';
import { ADDITIONS } from './addition-schemas.ts';
import { additionsSchema, definitionFileSchema, definitionSchema, type NamedSpec } from './definition-schema.ts';
import { placementSchema } from './placement-schemas.ts';
import { kindSchemas } from './resource-schemas.ts';
import { type CheckedDocument, violationDiagnostics } from './violation-diagnostics.ts';

/** Checks of the user's files, with the same schemas as in editors. */
export interface Checks {
  /** reelform.yaml. */
  readonly config: Check;
  /** A definition file or fragment, as written. */
  readonly file: Check;
  /** A merged and filled-in definition whose template is not available. */
  readonly anyVideo: Check;
  /** The properties of a definition or scene that decide about its length and place. */
  readonly placement: Check;
  /** A merged and filled-in definition. */
  video(template: NamedSpec): Check;
}

/** A schema, and the schemas that it references by name. */
interface SchemaSet {
  readonly schema: JsonSchema;
  readonly named?: NamedSchemas;
}

type Validate = (document: unknown) => readonly ErrorObject[];

/** Creates checks that report all problems of a document. */
export function createChecks(): Checks {
  const check = (name: string, schemas: () => SchemaSet, subject: CheckedDocument): Check => {
    let validate: Validate | null = null;
    return (document, locate) => {
      validate ??= validatorOf(`${name} ${subject.kind === 'config' ? '' : JSON.stringify(subject.template)}`, schemas);
      return violationDiagnostics(violationsOf(validate(document)), subject, locate);
    };
  };
  const videoCheck = (template: NamedSpec | null, schemas: () => SchemaSet): Check => {
    const subject: CheckedDocument = { kind: 'definition', template };
    const checkVideo = check('video', schemas, subject);
    const checkAdditions = check('additions', () => ({ schema: additionsSchema(template) }), subject);
    return (document, locate) => {
      const problems = checkVideo(document, locate);
      return hasAdditions(document) ? [...problems, ...checkAdditions(document, locate)] : problems;
    };
  };
  return {
    config: check('config', () => ({ schema: configSchema as JsonSchema }), { kind: 'config' }),
    file: check('file', () => ({ schema: definitionFileSchema() }), { kind: 'definition', template: null }),
    anyVideo: videoCheck(null, () => ({ schema: definitionSchema(null, 'video') })),
    placement: check('placement', () => ({ schema: placementSchema() }), { kind: 'definition', template: null }),
    video: (template) =>
      videoCheck(template, () => ({
        schema: definitionSchema(template, 'video'),
        named: kindSchemas(Object.values(template.spec.editables), 'video'),
      })),
  };
}

function hasAdditions(document: unknown): boolean {
  return isRecord(document) && ADDITIONS.some((property) => Object.hasOwn(document, property));
}

/** Maximum number of validators that a process keeps. Templates that are edited leave old ones behind. */
const MAX_VALIDATORS = 200;
/** Validators by the name and the template of their schema. A preview loads the same project again and again. */
const validators = new Map<string, Validate>();
let ajv: Ajv | null = null;

function validatorOf(key: string, schemas: () => SchemaSet): Validate {
  const known = validators.get(key);
  if (known !== undefined) return known;
  if (validators.size === MAX_VALIDATORS) {
    validators.clear();
    ajv = null;
  }
  const set = schemas();
  const satisfies = predicateOf(set.schema, set.named);
  let compiled: Validate | null = null;
  const validate: Validate = (document) => {
    if (satisfies(document)) return [];
    ajv ??= createAjv();
    compiled ??= compile(ajv, set);
    return compiled(document);
  };
  validators.set(key, validate);
  return validate;
}

/** Loads Ajv, which takes a tenth of the time of `validate` for a repository without errors. */
function createAjv(): Ajv {
  // The build makes a file of it.
  const ajvModule = createRequire(import.meta.url)('ajv') as typeof import('ajv');
  const created = new ajvModule.Ajv({
    ...STRICT_OPTIONS,
    // Tests verify that our schemas are valid. Compiling them takes most of the time of a small plan.
    meta: false,
    validateSchema: false,
    inlineRefs: false,
    code: { optimize: false },
  });
  created.addVocabulary(EDITOR_KEYWORDS);
  return created;
}

/**
 * Compiles the schema of each property when a document first has it: compiling takes longer than all else that a check does, and
 * a document has few of the properties that it can have.
 */
function compile(ajv: Ajv, { schema, named = {} }: SchemaSet): Validate {
  for (const [name, namedSchema] of Object.entries(named)) {
    if (ajv.schemas[name] === undefined) ajv.addSchema(namedSchema, name);
  }
  const properties = Object.entries(schema.properties ?? {});
  const names = properties.map(([name, property]) => [name, typeof property === 'boolean' ? property : true]);
  const validateOwn = ajv.compile({ ...schema, properties: Object.fromEntries(names) });
  const compiledOf = new Map<string, ReturnType<typeof ajv.compile>>();
  return (document) => {
    const errors = validateOwn(document) ? [] : [...(validateOwn.errors ?? [])];
    if (!isRecord(document)) return errors;
    for (const [name, property] of properties) {
      if (typeof property === 'boolean' || !Object.hasOwn(document, name)) continue;
      const validate = compiledOf.get(name) ?? ajv.compile(property);
      compiledOf.set(name, validate);
      const isValid = validate(document[name], {
        instancePath: `/${name}`,
        parentData: document,
        parentDataProperty: name,
        rootData: document,
        dynamicAnchors: {},
      });
      if (!isValid) errors.push(...(validate.errors ?? []));
    }
    return errors;
  };
}
