import { sha256 } from '../../digest.ts';
import { type PlanDocument, splitRestores } from '../../plan/plan-document.ts';
import { problemsOf } from '../markdown/problem-tables.ts';

/**
 * What a merge request shows beside its changes, as `artifacts:reports:terraform` has it: how many entries of the lockfile
 * come, change and go. A restore changes none.
 *
 * @see https://docs.gitlab.com/ci/yaml/artifacts_reports/#artifactsreportsterraform
 */
export function gitlabTerraform(document: PlanDocument): string {
  const { create = 0, forget = 0, noop: _, ...others } = document.summary;
  const restores = splitRestores(document).restores.length;
  const update = Object.values(others).reduce((sum, count) => sum + count, 0) - restores;
  return `${JSON.stringify({ create, update, delete: forget })}\n`;
}

/**
 * The problems of a plan as `artifacts:reports:codequality` has them. Each has a fingerprint that stays when lines above it
 * come and go.
 *
 * @param folder of the repository of reelform within git's, with `/` and one at its end; empty where they are the same
 * @see https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
 */
export function gitlabCodeQuality(document: PlanDocument, folder: string): string {
  const seen = new Map<string, number>();
  const entries = problemsOf(document).map(({ severity, code, message, hint, file, line, endLine }) => {
    const key = JSON.stringify([code, message, file]);
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    return {
      description: hint === null ? message : `${message}. ${hint}`,
      check_name: code,
      fingerprint: sha256(JSON.stringify([key, before])),
      severity: severity === 'error' ? 'major' : 'minor',
      // A place is required; what is about no file is about all of them.
      location: {
        path: folder + (file ?? 'reelform.yaml'),
        lines: { begin: line ?? 1, ...(endLine === null ? {} : { end: endLine }) },
      },
    };
  });
  return `${JSON.stringify(entries, null, 2)}\n`;
}
