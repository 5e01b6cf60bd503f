import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { PAUSES_MS } from '../../apply/refresh-videos.ts';
import { type SpecDrift, specChanges } from '../../apply/spec-changes.ts';
import { byCodeUnit } from '../../digest.ts';
import type { Config } from '../../project/config.ts';
import { outdatedFiles, schemaFiles } from '../../project/schema-files.ts';
import { parseSpec } from '../../schema/parse-spec.ts';
import type { RenderService } from '../../service/render-service.ts';
import { ServiceError } from '../../service/service-error.ts';
import { fetchSpec } from '../template/pull-command.ts';

export interface CompareSpecsInput {
  /** Absolute. */
  readonly root: string;
  readonly templates: Config['templates'];
  readonly service: RenderService;
  readonly wait: (milliseconds: number) => Promise<unknown>;
  /** Maximum number of parallel requests, ≥ 1. */
  readonly concurrency: number;
}

/**
 * Compares the committed specification of each of the service's templates with the current one, like `pull --check`.
 *
 * @returns differences and failed comparisons, sorted by template
 * @throws ReelformError `service_unauthorized`
 */
export async function compareSpecs({ templates, ...input }: CompareSpecsInput): Promise<SpecDrift[]> {
  const limit = pLimit(input.concurrency);
  const compared = await Promise.all(
    [...templates].map(async ([name, template]) => {
      return template.kind === 'package' ? null : limit(() => compareSpec(name, template.id, input));
    }),
  );
  return compared.filter((drift) => drift !== null).sort((a, b) => byCodeUnit(a.template, b.template));
}

async function compareSpec(
  template: string,
  styleVersion: string,
  { root, service, wait }: Omit<CompareSpecsInput, 'templates'>,
): Promise<SpecDrift | null> {
  for (let misses = 0; ; misses += 1) {
    try {
      const spec = await fetchSpec(styleVersion, service);
      const [file] = schemaFiles(template, spec);
      if (outdatedFiles(root, [file]).length === 0) return null;
      const committed = parseSpec(file.path, readFileSync(join(root, file.path), 'utf8'));
      const changes = committed.ok ? specChanges(committed.value, spec) : [];
      return { kind: 'changed', template, styleVersion, changes };
    } catch (error) {
      const { code, message } = error as { readonly code?: unknown; readonly message: string };
      if (code === 'service_unauthorized') throw error;
      const isMissing = error instanceof ServiceError && (error.status === 404 || error.status === 410);
      if (!isMissing) return { kind: 'unclear', template, styleVersion, why: message };
      const pauseMs = PAUSES_MS[misses];
      if (pauseMs === undefined) return { kind: 'gone', template, styleVersion };
      await wait(pauseMs);
    }
  }
}
