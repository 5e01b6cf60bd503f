import type { Options } from 'ajv';

/** How every value is held against a schema here: nothing is taken silently, and all that is wrong is told at once. */
export const STRICT_OPTIONS: Options = {
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allErrors: true,
  verbose: true,
  ownProperties: true,
  logger: false,
};
