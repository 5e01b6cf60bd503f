import type { OutputProblem } from '../definition/read-additions.ts';
import type { VideoTemplate } from '../definition/read-video.ts';
import type { Checks } from '../schema/create-checks.ts';
import { checkOutput } from '../template/bind/check-output.ts';
import type { TemplatePackage } from '../template/template-package.ts';
import type { OutputRequest } from '../wire/output.ts';
import type { ProjectTemplate } from './load-templates.ts';

/** What definitions have to know of a template. */
export function definitionTemplate(
  { name, spec, package: own }: Pick<ProjectTemplate, 'name' | 'spec' | 'package'>,
  checks: Pick<Checks, 'video'>,
): VideoTemplate {
  return {
    spec,
    check: checks.video({ name, spec }),
    // What a service that does not tell can choose from is for it to say.
    fonts: spec.available_fonts ?? (own === null ? null : spec.fonts),
    outputProblems: (output) => (own === null ? [] : outputProblems(output, own)),
  };
}

/** What only the measures of a template tell: its fields by themselves are looked at by a schema. */
function outputProblems(output: OutputRequest, own: TemplatePackage): OutputProblem[] {
  if (checkOutput(output, null).length > 0) return [];
  return checkOutput(output, own).map(({ at, detail }) => {
    return { field: at.slice(at.lastIndexOf('/') + 1) as keyof OutputRequest, message: detail };
  });
}
