import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EXIT, hasErrors, ReelformError } from '../../diagnostic.ts';
import { isEmptyPlan, type Plan, rendersNew } from '../../plan/plan.ts';
import { planDocument, type SegmentCount } from '../../plan/plan-document.ts';
import type { CacheProbe } from '../../plan-cache/probe.ts';
import { previewSummary } from '../../preview/preview-document.ts';
import { writeFileAtomic, writeLinkedFile } from '../../project/write-file.ts';
import { planJson } from '../../report/json/command-json.ts';
import { diagnosticsJson, type JsonDiagnostic } from '../../report/json/diagnostics-json.ts';
import type { LintedPlan } from '../check/lint-plan.ts';
import { withErrorReport } from '../errors.ts';
import { rejectConflictingOptions, VERSION, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics } from '../output.ts';
import type { DesiredState } from './load-desired-state.ts';
import { applyPolicies, openPlan } from './open-plan.ts';
import { type PlanOptions, PREVIEW_FLAGS, type PreviewFlags, planFormat } from './plan-options.ts';
import type { DrawnPreview } from './preview/draw-preview.ts';
import { type PrintablePlan, printPlan } from './print-plan.ts';

/**
 * Plans with all options, and prints the plan.
 *
 * @param probe the plan cache, if it is open already
 * @returns the exit status
 */
export async function makePlan(options: PlanOptions, io: Io, probe: CacheProbe | undefined): Promise<number> {
  if (options.refreshOnly === true) {
    rejectConflictingOptions('--refresh-only', options, {
      out: '--out',
      report: '--report',
      markdown: '--markdown',
      format: '--format',
      replace: '--replace',
      changedSince: '--changed-since',
      maxRenders: '--max-renders',
      policyCommand: '--policy-command',
      ...PREVIEW_FLAGS,
    });
    const { driftCommand } = await import('../drift/drift-command.ts');
    return driftCommand({ ...options, detailedExitcode: options.detailedExitcode === true }, io);
  }
  const directory = workingDirectory(options, io);
  const format = planFormat(options) ?? 'text';
  requirePreview(options);
  const report = options.report === undefined ? null : resolve(directory, options.report);
  // For people, the diagnostics are enough if there is no plan.
  const print = async (printed: PrintablePlan, isPlanned: boolean): Promise<void> => {
    if (isPlanned || format !== 'text') await printPlan(printed, format, options, io);
    // Printed first, in case the report cannot be written.
    if (report !== null) await writeReport(report, printed);
  };
  const tell = (thrown: readonly JsonDiagnostic[]): Promise<void> =>
    print({ document: planDocument(NO_PLAN, VERSION, thrown), preview: null, root: directory }, false);
  const { repository, diagnostics, opened } = await withErrorReport(tell, async () =>
    applyPolicies(await openPlan(directory, options, io, { probe, mayBePartial: true }), options, io),
  );
  const linted = opened === null || options.lint === false ? null : await lint(opened.plan, repository, options, io);
  const shown = await withErrorReport(tell, () =>
    look(opened?.plan ?? null, repository, { ...options, directory, ...previewDirOf(options) }, io),
  );
  if (shown === null) return EXIT.interrupted;
  const { preview } = shown;
  const all = [...diagnostics, ...(linted?.diagnostics ?? []), ...shown.diagnostics];
  const source = (file: string): string | undefined => repository.source(file) ?? linted?.source(file);
  printDiagnostics(all, source, options, io);
  const json = diagnosticsJson(all, source);
  const segments = opened === null ? undefined : await segmentsToRender(opened.plan, repository, io);
  const planned = planDocument(opened?.plan ?? NO_PLAN, VERSION, json, repository.labels, segments);
  const document = {
    ...planned,
    ...(linted !== null && { lint: { videos: linted.checked, left_out: linted.leftOut } }),
    ...(preview !== null && { preview: previewSummary(preview) }),
  };
  await print({ document, preview, root: repository.root }, opened !== null);
  if (opened === null) return EXIT.error;

  const { plan } = opened;
  if (hasErrors(plan.diagnostics)) return EXIT.refused;
  if (hasErrors(linted?.diagnostics ?? [])) return EXIT.error;
  // A refused plan is not saved, because it cannot be applied.
  if (options.out !== undefined) await writeLinkedFile(resolve(directory, options.out), planJson(document));
  return options.detailedExitcode === true && !isEmptyPlan(plan) ? EXIT.changes : EXIT.ok;
}

/** Lints the plan. The code is loaded only if something is rendered. */
async function lint(plan: Plan, repository: DesiredState, options: PlanOptions, io: Io): Promise<LintedPlan | null> {
  if (!plan.changes.some(rendersNew)) return null;
  const { lintPlan } = await import('../check/lint-plan.ts');
  return lintPlan(plan, repository, { cache: options.cache !== false }, io);
}

/** Loads the engine only if there are segments to count. @param warns see `openSegmentCache` @see countSegments */
export async function segmentsToRender(
  plan: Plan,
  repository: Pick<DesiredState, 'root' | 'config'>,
  io: Io,
  warns = true,
): Promise<ReadonlyMap<string, SegmentCount>> {
  if (!plan.changes.some(rendersNew)) return new Map();
  const { countSegments } = await import('./count-segments.ts');
  return countSegments(plan, repository, io, warns);
}

/** @throws ReelformError `options_conflict` */
function requirePreview(options: PreviewFlags): void {
  const option = Object.entries(PREVIEW_FLAGS).find(([name]) => options[name as keyof PreviewFlags] !== undefined);
  if (options.preview !== undefined || option === undefined) return;
  throw new ReelformError('options_conflict', `${option[1]} needs a preview`, {
    hint: 'Add --preview stills, or --preview draft',
  });
}

/** Images of a report go to its folder by default. */
function previewDirOf({ report, previewDir }: PlanOptions): PreviewFlags {
  const folder = previewDir ?? (report === undefined ? undefined : join(report, 'preview'));
  return folder === undefined ? {} : { previewDir: folder };
}

/** Draws the preview. The engine is loaded only if a preview is requested. */
async function look(
  plan: Plan | null,
  repository: DesiredState,
  options: PlanOptions & { readonly directory: string },
  io: Io,
): Promise<DrawnPreview | { readonly preview: null; readonly diagnostics: readonly [] } | null> {
  if (plan === null || options.preview === undefined || options.preview === 'none')
    return { preview: null, diagnostics: [] };
  const { drawPreview } = await import('./preview/draw-preview.ts');
  return drawPreview(plan, repository, options, io);
}

/** The plan of a document that reports errors. */
const NO_PLAN: Plan = { changes: [], complete: false, diagnostics: [] };

/** Writes plan.json and plan.html, whether the plan is valid or not. The pictures are in the folder already. */
async function writeReport(folder: string, { document, preview }: PrintablePlan): Promise<void> {
  const { planHtml } = await import('../../report/html/plan-html.ts');
  await mkdir(folder, { recursive: true });
  await writeFileAtomic(join(folder, 'plan.html'), planHtml(document, { preview }));
  await writeFileAtomic(join(folder, 'plan.json'), planJson(document));
}
