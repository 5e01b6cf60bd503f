import { resolveOutput } from '../template/bind/resolve-output.ts';
import { templateFields } from './form-fields.ts';
import type { LiveState } from './live-state.ts';
import type { TemplateDetail } from './protocol.ts';
import { RequestError } from './request-error.ts';

/** Describes a template. @throws RequestError `not_found`, `conflict` if it has errors */
export function templateDetail(name: string, { state, loaded }: LiveState): TemplateDetail {
  const card = state.templates.find((one) => one.name === name);
  if (card === undefined) throw new RequestError('not_found', `There is no template ${JSON.stringify(name)}`);
  const template = loaded.project.templates.get(name);
  if (template === undefined) {
    throw new RequestError('conflict', `The template ${name} has errors`, { problems: card.problems });
  }
  const { spec, package: own, paths } = template;
  const { folder } = card;
  return {
    card,
    description: own?.manifest.description ?? null,
    stills: own === null ? [] : [...resolveOutput(own).stills],
    editables: templateFields(spec, own),
    fonts: spec.available_fonts ?? spec.fonts,
    files: paths
      .map((path) => (folder !== null && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path))
      .sort(),
  };
}
