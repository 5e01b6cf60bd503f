import type { Diagnostic } from '../../diagnostic.ts';
import { CONFIG_FILE } from '../../project/repository-layout.ts';

/**
 * Whether a problem keeps commands that handle templates alone from their work: mistakes in definitions are not their
 * business, and what is out of date under `schemas/` is nothing to them.
 */
export function isAboutTemplates({ code, at }: Diagnostic): boolean {
  if (code === 'schema_outdated' || code === 'spec_missing' || code === 'no_videos') return false;
  return code === 'template_invalid' || at === undefined || at.file === CONFIG_FILE;
}
