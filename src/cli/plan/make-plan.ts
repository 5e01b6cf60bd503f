import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Diagnostic, EXIT, hasErrors, ReelformError, type Span } from '../../kernel/diagnostic.ts';
import type { SegmentCount } from '../../reconciler/plan/estimate-plan.ts';
import { isEmptyPlan, type Plan, rendersNew } from '../../reconciler/plan/plan.ts';
import { planDocument } from '../../reconciler/plan/plan-document.ts';
import { textsDocument } from '../../reconciler/plan/texts-document.ts';
import type { CacheProbe } from '../../reconciler/plan-cache/probe.ts';
import { writeFileAtomic, writeLinkedFile } from '../../reconciler/project/write-file.ts';
import { planJson } from '../../report/json/command-json.ts';
import { diagnosticsJson, type JsonDiagnostic, textPosition } from '../../report/json/diagnostics-json.ts';
import { previewSummary } from '../../report/preview/preview-document.ts';
import { withErrorReport } from '../errors.ts';
import { rejectConflictingOptions, VERSION, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics } from '../output.ts';
import type { CommandPool } from '../render/command-pool.ts';
import { findPointers, lintPlan, prepareLint } from './lint-plan.ts';
import { applyPolicies, openPlan, type PlanContext } from './open-plan.ts';
import { type PlanOptions, PREVIEW_FLAGS, type PreviewFlags, planFormat } from './plan-options.ts';
import { changedVideos, type PlannedVideos } from './planned-videos.ts';
import type { DrawnPreview } from './preview/draw-preview.ts';
import { type PrintablePlan, printPlan } from './print-plan.ts';

/**
 * Plans with all options, and prints the plan.
 *
 * @param probe the plan cache, if it is open already
 * @returns the exit status
 */
export async function makePlan(
  options: PlanOptions,
  io: Io,
  probe: CacheProbe | undefined,
  processes: CommandPool,
): Promise<number> {
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
    const { driftCommand } = await import('./drift/drift-command.ts');
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
  const printErrors = (thrown: readonly JsonDiagnostic[]): Promise<void> =>
    print({ document: planDocument(NO_PLAN, VERSION, thrown), preview: null, root: directory }, false);
  const linting = { cache: options.cache !== false };
  let early: PlannedVideos | null = null;
  const context: PlanContext = {
    probe,
    processes,
    mayBePartial: true,
    ...(options.lint !== false && {
      onChanges(changes, repository) {
        early = changedVideos({ changes }, repository, io, processes);
        // Lint reports the errors.
        prepareLint(changes, early, linting).catch(() => undefined);
      },
    }),
  };
  const { repository, diagnostics, opened } = await withErrorReport(printErrors, async () =>
    applyPolicies(await openPlan(directory, options, io, context), options, io),
  );
  const plan = opened?.plan ?? NO_PLAN;
  const videos = changedVideos(plan, repository, io, processes, early);
  try {
    const pointers = await findPointers(plan, videos);
    // A plan needs no content of files: only apply does.
    const warnings = pointers.diagnostics.map((diagnostic): Diagnostic => ({ ...diagnostic, severity: 'warning' }));
    // Lint leaves this thread idle, because it runs in other processes.
    const [linted, segments] = await Promise.all([
      options.lint === false ? null : lintPlan(plan, videos, pointers, linting, io),
      opened === null ? undefined : segmentsToRender(plan, videos, io, true),
    ]);
    const ofVideos = [...warnings, ...(linted?.diagnostics ?? [])];
    const read = ofVideos.length === 0 ? null : await videos.source();
    const wanted = { ...options, directory, ...previewDirOf(options) };
    const shown = await withErrorReport(printErrors, async () =>
      opened === null ? UNDRAWN : drawIfRequested(plan, videos, wanted, io),
    );
    if (shown === null) return EXIT.interrupted;
    const { preview } = shown;
    const all = [...diagnostics, ...ofVideos, ...shown.diagnostics];
    const source = (file: string): string | undefined => repository.source(file) ?? read?.source(file);
    printDiagnostics(all, source, options, io);
    const json = diagnosticsJson(all, source);
    const document = {
      ...planDocument(plan, VERSION, json, repository.labels, segments, linted?.mixes),
      ...(plan.texts && { texts: textsDocument(plan.texts, (at) => lineOf(at, source)) }),
      ...(linted !== null && { lint: { videos: linted.checked, left_out: linted.leftOut } }),
      ...(preview !== null && { preview: previewSummary(preview) }),
    };
    await print({ document, preview, root: repository.root }, opened !== null);
    if (opened === null) return EXIT.error;
    if (hasErrors(plan.diagnostics)) return EXIT.refused;
    if (hasErrors(linted?.diagnostics ?? [])) return EXIT.error;
    // A refused plan is not saved, because it cannot be applied.
    if (options.out !== undefined) await writeLinkedFile(resolve(directory, options.out), planJson(document));
    return options.detailedExitcode === true && !isEmptyPlan(plan) ? EXIT.changes : EXIT.ok;
  } finally {
    await videos.close();
  }
}

function lineOf({ file, start }: Span, source: (file: string) => string | undefined): number | undefined {
  const text = source(file);
  return text === undefined ? undefined : textPosition(text, start).line;
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
async function drawIfRequested(
  plan: Plan,
  videos: PlannedVideos,
  options: PlanOptions & { readonly directory: string },
  io: Io,
): Promise<DrawnPreview | typeof UNDRAWN | null> {
  if (options.preview === undefined || options.preview === 'none') return UNDRAWN;
  const { drawPreview } = await import('./preview/draw-preview.ts');
  return drawPreview(plan, videos, options, io);
}

const UNDRAWN = { preview: null, diagnostics: [] } as const;

/** The plan of a document that reports errors. */
const NO_PLAN: Plan = { changes: [], complete: false, diagnostics: [] };

/** Writes plan.json and plan.html, whether the plan is valid or not. The pictures are in the folder already. */
async function writeReport(folder: string, { document, preview }: PrintablePlan): Promise<void> {
  const { planHtml } = await import('../../report/html/plan-html.ts');
  await mkdir(folder, { recursive: true });
  await writeFileAtomic(join(folder, 'plan.html'), planHtml(document, { preview }));
  await writeFileAtomic(join(folder, 'plan.json'), planJson(document));
}

/** Counts the segments of a plan. The engine is loaded only if there are some to count. @param warns see `openSegmentCache` */
export async function segmentsToRender(
  plan: Plan,
  planned: PlannedVideos,
  io: Io,
  warns: boolean,
): Promise<ReadonlyMap<string, SegmentCount>> {
  if (planned.config.service !== 'embedded' || !plan.changes.some(rendersNew)) return new Map();
  const { countSegments } = await import('./count-segments.ts');
  return countSegments(plan, planned, io, warns);
}
