import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fg from 'fast-glob';
import { bindMapping } from '../src/template/bind/bind-mapping.ts';
import { parseTemplatePackage } from '../src/template/parse-template-package.ts';
import type { RenderInput } from '../src/template/render-input.ts';

/** Binds texts to a template on disk, without sounds. */
export function templateInput(folder: string, texts: Readonly<Record<string, string>>): RenderInput {
  const names = fg.sync('**/*', { cwd: folder });
  const files = new Map(names.map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]));
  const template = parseTemplatePackage(folder, files);
  if (!template.ok) throw new Error(template.diagnostics.map(({ message }) => message).join('\n'));
  const resources = Object.entries(texts).map(([key, text]) => [key, { source: { text } }]);
  return { ...bindMapping(template.value, { resources: Object.fromEntries(resources) }, new Map()), sounds: [] };
}
