import { describe, expect, it } from 'vitest';
import { outdatedFiles, schemaFiles, writeSchemaFiles } from '../../../src/reconciler/project/schema-files.ts';
import { LAUNCH_SPEC } from '../../support/launch-spec.ts';
import { temporaryRepository, writeFiles } from '../../support/temporary-repository.ts';

describe('schemaFiles()', () => {
  it('returns the specification as the service sends it, and a schema', () => {
    const [spec, schema] = schemaFiles('launch', LAUNCH_SPEC);
    expect(spec.path).toBe('schemas/launch.spec.json');
    expect(JSON.parse(spec.text)).toEqual({ style_version: LAUNCH_SPEC });
    expect(schema.path).toBe('schemas/launch.schema.json');
    expect(JSON.parse(schema.text)).toMatchObject({ $schema: 'http://json-schema.org/draft-07/schema#' });
  });
});

describe('outdatedFiles()', () => {
  it('returns missing and modified files until they are written', async () => {
    const root = temporaryRepository({});
    const files = schemaFiles('launch', LAUNCH_SPEC);
    expect(outdatedFiles(root, files)).toEqual(files);
    await writeSchemaFiles(root, files);
    expect(outdatedFiles(root, files)).toEqual([]);
    const onWindows = files.map(({ path, text }) => [path, text.replaceAll('\n', '\r\n')]);
    writeFiles(root, Object.fromEntries(onWindows));
    expect(outdatedFiles(root, files)).toEqual([]);
    writeFiles(root, { 'schemas/launch.schema.json': '{}\n' });
    expect(outdatedFiles(root, files).map(({ path }) => path)).toEqual(['schemas/launch.schema.json']);
  });
});
