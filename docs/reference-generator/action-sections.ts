import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { code, sentence, table } from './markdown.ts';

interface ActionFile {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly description: string }>>;
}

/** Sections about the GitHub action, from action.yml. */
export async function actionSections(root: string): Promise<Map<string, string>> {
  const { inputs, outputs } = parse(await readFile(join(root, 'action.yml'), 'utf8')) as ActionFile;
  const inputRows = Object.entries(inputs).map(([name, { description, default: value = '' }]) => [
    code(name),
    value === '' ? '' : code(value),
    sentence(description),
  ]);
  const outputRows = Object.entries(outputs).map(([name, { description }]) => [code(name), sentence(description)]);
  return new Map([
    ['action/inputs', table(['input', 'default', 'meaning'], inputRows)],
    ['action/outputs', table(['output', 'meaning'], outputRows)],
  ]);
}
