import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LINT_CODES } from '../../src/template/lint-severities.ts';
import { smallPackageFiles, solidPng } from './small-package.ts';
import { writeFiles } from './temporary-repository.ts';

/** Creates a folder with these files below the system's temporary folder. */
export function makeFolder(files: Readonly<Record<string, Uint8Array | string>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'reelform-test-')));
  writeFiles(root, files);
  return root;
}

/** Turns off every lint rule, because lint starts a process that draws. */
export const NO_LINT = `lint:\n${LINT_CODES.map((code) => `  ${code}: off\n`).join('')}`;

export const CONFIG = `service: embedded\ntemplates:\n  small: ./templates/small\nconcurrency: 2\n${NO_LINT}`;

export function definition(text: string, extra = ''): string {
  return `template: small\ntitle: ${text}\nresources:\n  t_01: ${text}\n  c_01: "#EEADA7"\n${extra}`;
}

/** Configuration whose segment cache is in a bucket of a test server, with the access keys in KEY_ID and KEY. */
export function bucketConfig(server: { readonly url: string }, cache: string): string {
  const access = `kind: s3, endpoint: "${server.url}", region: us-east-1, path_style: true`;
  const keys = 'access_key_id_env: KEY_ID, secret_access_key_env: KEY';
  return `${CONFIG}credentials: {main: {${access}, ${keys}}}\ncache: ${cache}\n`;
}

/** Creates a repository with the small package and three definitions, two of which use an image. */
export function makeRepository(changes: Readonly<Record<string, Uint8Array | string>> = {}): string {
  const files: Record<string, Uint8Array | string> = {
    'reelform.yaml': CONFIG,
    'videos/berlin.yaml': definition('Berlin', '  (Footage)/USER/photo.png: ./images/photo.png\n'),
    'videos/oslo.yaml': definition('Oslo', '  (Footage)/USER/photo.png: ./images/photo.png\n'),
    'videos/rome.yaml': definition('Rome'),
    'videos/images/photo.png': solidPng('#ff0000'),
  };
  for (const [path, bytes] of smallPackageFiles()) files[`templates/small/${path}`] = bytes;
  return makeFolder({ ...files, ...changes });
}
