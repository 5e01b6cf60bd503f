import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { definitionSchema } from '../schema/definition-schema.ts';
import type { StyleVersion } from '../wire/style-version.ts';
import type { ReadLog } from './read-log.ts';
import { writeFileAtomic } from './write-file.ts';

/** A file that `reelform pull` keeps under `schemas/`. */
export interface SchemaFile {
  /** Repository-relative. */
  readonly path: string;
  readonly text: string;
}

/** Where the specification of a template is kept. */
export function specPath(template: string): string {
  return `schemas/${template}.spec.json`;
}

/** Where the schema that editors check a template's definitions with is kept. */
export function schemaPath(template: string): string {
  return `schemas/${template}.schema.json`;
}

/** The files of one template: its specification as fetched, and the JSON Schema that is made from it for editors. */
export function schemaFiles(template: string, spec: StyleVersion): [spec: SchemaFile, schema: SchemaFile] {
  const text = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  return [
    { path: specPath(template), text: text({ style_version: spec }) },
    { path: schemaPath(template), text: text(definitionSchema({ name: template, spec }, 'file')) },
  ];
}

/**
 * Of the files that a pull would write, those that are not on the disk as they should be.
 *
 * @param root of the repository, absolute
 * @param log takes down what is read
 */
export function outdatedFiles(root: string, files: readonly SchemaFile[], log: ReadLog | null = null): SchemaFile[] {
  return files.filter(({ path, text }) => {
    log?.look(path);
    const absolute = join(root, path);
    return !statSync(absolute, { throwIfNoEntry: false })?.isFile() || readFileSync(absolute, 'utf8') !== text;
  });
}

/**
 * Writes each file whole.
 *
 * @param root of the repository, absolute
 * @throws ReelformError `write_failed`
 */
export async function writeSchemaFiles(root: string, files: readonly SchemaFile[]): Promise<void> {
  for (const { path, text } of files) await writeFileAtomic(join(root, path), text);
}
