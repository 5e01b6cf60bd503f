import { join, resolve } from 'node:path';
import { EXIT, hasErrors, ReelformError } from '../../diagnostic.ts';
import { isEmptyPlan, type Plan, rendersNew } from '../../plan/plan.ts';
import type { SegmentCount } from '../../plan/plan-document.ts';
import { planDocument } from '../../plan/plan-document.ts';
import type { CacheProbe } from '../../plan-cache/probe.ts';
import { previewSummary } from '../../preview/preview-document.ts';
import { writeLinkedFile } from '../../project/write-file.ts';
import { planJson } from '../../report/json/command-json.ts';
import { diagnosticsJson, type JsonDiagnostic } from '../../report/json/diagnostics-json.ts';
import { directoryOf, tellDiagnostics } from '../diagnose.ts';
import { VERSION } from '../global-options.ts';
import type { Io } from '../io.ts';
import type { LintedPlan } from '../lint/lint-plan.ts';
import type { LookedAtPlan } from '../preview/look-at-plan.ts';
import { PREVIEW_FLAGS, type PreviewFlags } from '../preview/preview-flags.ts';
import { refuseTogether } from '../refuse-together.ts';
import { tellThrown } from '../thrown.ts';
import type { OpenDesired } from './open-desired.ts';
import { openPlan } from './open-plan.ts';
import type { PlanOptions } from './plan-flags.ts';
import { planFormat } from './plan-format.ts';
import { printPlan } from './print-plan.ts';
import type { PrintedPlan } from './printed-plan.ts';
import { withPolicies } from './with-policies.ts';

/**
 * Plans with any options, and prints the plan.
 *
 * @param probe the plan cache, when it was opened already
 * @returns the exit status
 */
export async function makePlan(options: PlanOptions, io: Io, probe: CacheProbe | undefined): Promise<number> {
  if (options.refreshOnly === true) {
    refuseTogether('--refresh-only', options, {
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
  const directory = directoryOf(options, io);
  const format = planFormat(options) ?? 'text';
  needPreview(options);
  const report = options.report === undefined ? null : resolve(directory, options.report);
  // People read what is wrong with the definitions, and no empty plan below it.
  const print = async (printed: PrintedPlan, isPlanned: boolean): Promise<void> => {
    if (isPlanned || format !== 'text') await printPlan(printed, format, options, io);
    // Where it cannot be written, the plan was seen at least.
    if (report !== null) await saveReport(report, printed);
  };
  const tell = (thrown: readonly JsonDiagnostic[]): Promise<void> =>
    print({ document: planDocument(NO_PLAN, VERSION, thrown), preview: null, root: directory }, false);
  const { repository, diagnostics, opened } = await tellThrown(tell, async () =>
    withPolicies(await openPlan(directory, options, io, { probe, mayBePartial: true }), options, io),
  );
  const linted = opened === null || options.lint === false ? null : await lint(opened.plan, repository, options, io);
  const shown = await tellThrown(tell, () =>
    look(opened?.plan ?? null, repository, { ...options, directory, ...previewDirOf(options) }, io),
  );
  if (shown === null) return EXIT.interrupted;
  const { preview } = shown;
  const all = [...diagnostics, ...(linted?.diagnostics ?? []), ...shown.diagnostics];
  const source = (file: string): string | undefined => repository.source(file) ?? linted?.source(file);
  tellDiagnostics(all, source, options, io);
  const told = diagnosticsJson(all, source);
  const segments = opened === null ? undefined : await segmentsToRender(opened.plan, repository, io);
  const planned = planDocument(opened?.plan ?? NO_PLAN, VERSION, told, repository.labels, segments);
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
  // What was refused is not saved: nobody could apply it.
  if (options.out !== undefined) await writeLinkedFile(resolve(directory, options.out), planJson(document));
  return options.detailedExitcode === true && !isEmptyPlan(plan) ? EXIT.changes : EXIT.ok;
}

/** Loaded where there is something to look at, and not before. */
async function lint(plan: Plan, repository: OpenDesired, options: PlanOptions, io: Io): Promise<LintedPlan | null> {
  if (!plan.changes.some(rendersNew)) return null;
  const { lintPlan } = await import('../lint/lint-plan.ts');
  return lintPlan(plan, repository, { cache: options.cache !== false }, io);
}

/** @see countSegments; loads the engine only when there is something to count */
export async function segmentsToRender(
  plan: Plan,
  repository: Pick<OpenDesired, 'root' | 'config'>,
  io: Io,
): Promise<ReadonlyMap<string, SegmentCount>> {
  if (!plan.changes.some(rendersNew)) return new Map();
  const { countSegments } = await import('./count-segments.ts');
  return countSegments(plan, repository, io);
}

/** @throws ReelformError `options_conflict` */
function needPreview(options: PreviewFlags): void {
  const said = Object.entries(PREVIEW_FLAGS).find(([name]) => options[name as keyof PreviewFlags] !== undefined);
  if (options.preview !== undefined || said === undefined) return;
  throw new ReelformError('options_conflict', `${said[1]} says how a preview is made, and none is asked for`, {
    hint: 'Add --preview stills, or --preview draft',
  });
}

/** Loaded where somebody asks for it. */
async function saveReport(folder: string, printed: PrintedPlan): Promise<void> {
  const { writeReport } = await import('./write-report.ts');
  await writeReport(folder, printed);
}

/** The pictures of a report are in its folder, unless there is another one for them. */
function previewDirOf({ report, previewDir }: PlanOptions): PreviewFlags {
  const folder = previewDir ?? (report === undefined ? undefined : join(report, 'preview'));
  return folder === undefined ? {} : { previewDir: folder };
}

/** Drawn where it is asked for: the engine is not loaded otherwise. */
async function look(
  plan: Plan | null,
  repository: OpenDesired,
  options: PlanOptions & { readonly directory: string },
  io: Io,
): Promise<LookedAtPlan | { readonly preview: null; readonly diagnostics: readonly [] } | null> {
  if (plan === null || options.preview === undefined || options.preview === 'none')
    return { preview: null, diagnostics: [] };
  const { lookAtPlan } = await import('../preview/look-at-plan.ts');
  return lookAtPlan(plan, repository, options, io);
}

/** What is printed for machines when mistakes leave nothing to plan. */
const NO_PLAN: Plan = { changes: [], complete: false, diagnostics: [] };
