import { sha256 } from '../../kernel/digest.ts';
import { type PlanDocument, splitRestores } from '../../reconciler/plan/plan-document.ts';
import { problemsOf } from './diagnostics-json.ts';

/**
 * Serializes a plan as `artifacts:reports:terraform`, which a merge request shows: numbers of created, updated and deleted
 * lock entries. Mere restores change no entry.
 *
 * @see https://docs.gitlab.com/ci/yaml/artifacts_reports/#artifactsreportsterraform
 */
export function gitlabTerraform(document: PlanDocument): string {
  const { create = 0, forget = 0, noop: _, ...updates } = document.summary;
  const restores = splitRestores(document).restores.length;
  const update = Object.values(updates).reduce((sum, count) => sum + count, 0) - restores;
  return `${JSON.stringify({ create, update, delete: forget })}\n`;
}

/**
 * Serializes the problems of a plan as `artifacts:reports:codequality`. Fingerprints do not depend on line numbers.
 *
 * @param folder folder of reelform's repository within the git repository, with a trailing `/`; empty if they are the same
 * @see https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
 */
export function gitlabCodeQuality(document: PlanDocument, folder: string): string {
  const seen = new Map<string, number>();
  const entries = problemsOf(document).map(({ severity, code, message, hint, file, line, end_line: endLine }) => {
    const key = JSON.stringify([code, message, file]);
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    return {
      description: hint === null ? message : `${message}. ${hint}`,
      check_name: code,
      fingerprint: sha256(JSON.stringify([key, before])),
      severity: severity === 'error' ? 'major' : 'minor',
      // A location is required: problems without a file refer to the configuration.
      location: {
        path: folder + (file ?? 'reelform.yaml'),
        lines: { begin: line ?? 1, end: endLine ?? undefined },
      },
    };
  });
  return `${JSON.stringify(entries, null, 2)}\n`;
}
