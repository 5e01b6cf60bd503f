import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceFeatures } from '../../contract/wire/features.ts';
import type { StyleVersion } from '../../contract/wire/style-version.ts';
import { asCommitted } from '../../kernel/line-breaks.ts';
import { definitionSchema, type NamedSpec, scenesDefinitionSchema } from '../schema/definition-schema.ts';
import type { ReadLog } from './read-log.ts';
import { FEATURES_FILE, SCENES_SCHEMA, schemaPath, specPath } from './repository-layout.ts';
import { writeFileAtomic } from './write-file.ts';

/** A file under `schemas/` that `reelform pull` maintains. */
export interface SchemaFile {
  /** Repository-relative. */
  readonly path: string;
  readonly text: string;
}

/** Returns the files of a template: its specification, and the JSON Schema for editors that is generated from it. */
export function schemaFiles(template: string, spec: StyleVersion): [spec: SchemaFile, schema: SchemaFile] {
  return [
    { path: specPath(template), text: text({ style_version: spec }) },
    { path: schemaPath(template), text: text(definitionSchema({ name: template, spec }, 'file')) },
  ];
}

/** Returns the JSON Schema for editors of definitions with scenes of these templates. */
export function scenesSchemaFile(templates: readonly NamedSpec[]): SchemaFile {
  return { path: SCENES_SCHEMA, text: text(scenesDefinitionSchema(templates)) };
}

/** Returns the file with the features of a service. @param service origin of its URL */
export function featuresFile(service: string, features: ServiceFeatures): SchemaFile {
  return { path: FEATURES_FILE, text: text({ service, features }) };
}

function text(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/**
 * Returns the files that are missing on the disk or have other content.
 *
 * @param root of the repository, absolute
 * @param log records what is read
 */
export function outdatedFiles(root: string, files: readonly SchemaFile[], log: ReadLog | null = null): SchemaFile[] {
  return files.filter(({ path, text }) => {
    log?.readIfPresent(path);
    const absolute = join(root, path);
    if (!statSync(absolute, { throwIfNoEntry: false })?.isFile()) return true;
    const bytes = readFileSync(absolute);
    // Decoding 200 kB that are not ASCII takes longer.
    return !bytes.equals(Buffer.from(text)) && asCommitted(bytes.toString()) !== text;
  });
}

/**
 * Writes each file atomically.
 *
 * @param root of the repository, absolute
 * @throws ReelformError `write_failed`
 */
export async function writeSchemaFiles(root: string, files: readonly SchemaFile[]): Promise<void> {
  for (const { path, text } of files) await writeFileAtomic(join(root, path), text);
}
