import { ReelformError } from '../../diagnostic.ts';
import { specProblems } from '../../schema/parse-spec.ts';
import type { RenderService } from '../../service/render-service.ts';
import type { StyleVersion } from '../../wire/style-version.ts';

const MAX_PROBLEMS = 5;

/**
 * Requests the specification of a style version, and checks its form.
 *
 * @throws ReelformError `service_answer_invalid`; whatever else the service threw
 */
export async function fetchSpec(id: string, service: RenderService): Promise<StyleVersion> {
  const spec = await service.getStyleVersion(id);
  const problems = specProblems(spec);
  if (problems.length === 0 && spec.id !== id) problems.push(`it is the one of ${spec.id}`);
  if (problems.length === 0) return spec;
  const message = `What ${service.name} answered is no specification of ${id}: ${problems.slice(0, MAX_PROBLEMS).join('; ')}`;
  throw new ReelformError('service_answer_invalid', message);
}
