import type { Config } from '../project/config.ts';
import { schemaPath, specPath } from '../project/schema-files.ts';

/** Whether a template is made of what stands at a path, or is measured by it. */
export function isOfTemplate(path: string, name: string, config: Config): boolean {
  const template = config.templates.get(name);
  const folders =
    template?.kind === 'package' ? [template.path, ...(config.fonts === null ? [] : [config.fonts.path])] : [];
  return (
    folders.some((folder) => path === folder || path.startsWith(`${folder}/`)) ||
    path === specPath(name) ||
    path === schemaPath(name)
  );
}

/** The templates that have something at one of these paths. */
export function templatesAt(paths: readonly string[], config: Config): Set<string> {
  const names = [...config.templates.keys()];
  return new Set(names.filter((name) => paths.some((path) => isOfTemplate(path, name, config))));
}
