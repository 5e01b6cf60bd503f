import configSchema from '../../schemas/reelform-config.schema.json' with { type: 'json' };
import { isRecord } from '../is-record.ts';
import type { Check } from '../locate.ts';
import { ADDITIONS } from './addition-schemas.ts';
import { additionsSchema, definitionFileSchema, definitionSchema, type NamedSpec } from './definition-schema.ts';
import type { JsonSchema } from './json-schema.ts';
import { kindSchemas } from './kind-schemas.ts';
import type { Subject } from './violation-diagnostics.ts';

/** Checks of users' files, each by the schema that editors use too. A schema is made when its check is first used. */
export interface Checks {
  /** reelform.yaml. */
  readonly config: Check;
  /** Any definition file or part, as written. */
  readonly file: Check;
  /** A merged and filled-in definition over no known template. */
  readonly anyVideo: Check;
  /** A merged and filled-in definition. */
  video(template: NamedSpec): Check;
}

/** A schema, and those that it refers to by name. */
export interface SchemaSet {
  readonly schema: JsonSchema;
  readonly named?: Readonly<Record<string, JsonSchema>>;
}

/** The checks, given how a schema becomes one. */
export function checksBy(check: (schemas: () => SchemaSet, subject: Subject) => Check): Checks {
  const videoCheck = (template: NamedSpec | null, schemas: () => SchemaSet): Check => {
    const subject: Subject = { kind: 'definition', template };
    const checkVideo = check(schemas, subject);
    const checkAdditions = check(() => ({ schema: additionsSchema(template) }), subject);
    return (document, locate) => {
      const problems = checkVideo(document, locate);
      return hasAdditions(document) ? [...problems, ...checkAdditions(document, locate)] : problems;
    };
  };
  return {
    config: check(() => ({ schema: configSchema as JsonSchema }), { kind: 'config' }),
    file: check(() => ({ schema: definitionFileSchema() }), { kind: 'definition', template: null }),
    anyVideo: videoCheck(null, () => ({ schema: definitionSchema(null, 'video') })),
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
