import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { SETTING_ROWS } from '../../src/service/server/settings/settings-table.ts';

export const ROOT = join(import.meta.dirname, '../..');

export function deployFile(name: string): string {
  return readFileSync(join(ROOT, 'deploy', name), 'utf8');
}

/** Parses the documents of a YAML file with anchors and merges resolved. Throws for errors, warnings and duplicate keys. */
export function yamlDocuments(name: string): Record<string, unknown>[] {
  return parseAllDocuments(deployFile(name), { merge: true, uniqueKeys: true }).map((document) => {
    if (document.errors.length > 0 || document.warnings.length > 0) {
      throw new Error(
        `${name}: ${[...document.errors, ...document.warnings].map(({ message }) => message).join('; ')}`,
      );
    }
    return document.toJS() as Record<string, unknown>;
  });
}

const SETTINGS = new Set(SETTING_ROWS.map(([, row]) => row.environment));

/** Returns those of our environment variables that no setting reads. */
export function unknownVariables(names: Iterable<string>): string[] {
  return [...names].filter((name) => /^(?:REELFORM_|DATABASE_URL$)/.test(name) && !SETTINGS.has(name));
}
