import { Ajv } from 'ajv';
import planSchema from '../../schemas/reelform-plan.schema.json' with { type: 'json' };
import { STRICT_OPTIONS } from './strict-options.ts';

/**
 * A check of plans' documents that may be anybody's, against the schema that is published. It tells the place and the rule
 * of the first thing that is wrong, and null where nothing is. Import this module lazily: it loads Ajv.
 */
export function createPlanCheck(): (document: unknown) => string | null {
  // The first mistake is enough, and all that a stranger may make us keep.
  const ajv = new Ajv({ ...STRICT_OPTIONS, allErrors: false, verbose: false, meta: false, validateSchema: false });
  const validate = ajv.compile(planSchema);
  return (document) => {
    if (validate(document)) return null;
    const [error] = validate.errors ?? [];
    return `${error?.instancePath || '/'} ${error?.message ?? 'is not as it should be'}`;
  };
}
