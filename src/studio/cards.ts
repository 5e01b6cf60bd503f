import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../kernel/defined.ts';
import type { Span } from '../kernel/diagnostic.ts';
import { byCodeUnit } from '../kernel/digest.ts';
import { groupBy } from '../kernel/group-by.ts';
import { rowOf } from '../reconciler/definition/matrix-place.ts';
import { firstTemplate, globBase, idOfPath, isFragment, type Video } from '../reconciler/definition/video.ts';
import { isOutputPath, type LockEntry } from '../reconciler/lock/lock.ts';
import type { DesiredVideo } from '../reconciler/plan/desired-video.ts';
import type { Change } from '../reconciler/plan/plan.ts';
import type { TemplateConfig } from '../reconciler/project/config.ts';
import { isPointerFile } from '../reconciler/project/find-pointers.ts';
import type { ProjectTemplate } from '../reconciler/project/load-templates.ts';
import { CONFIG_FILE } from '../reconciler/project/repository-layout.ts';
import { diagnosticsJson } from '../report/json/diagnostics-json.ts';
import type { LoadedRepository } from './ports.ts';
import type { PreviewError, PreviewProblem } from './problem-protocol.ts';
import type {
  CardState,
  FinishedFile,
  PlanSummary,
  TemplateCard,
  TextVariant,
  VideoCard,
  VideoProgress,
} from './protocol.ts';
import {
  type DrawSubject,
  pictureOf,
  posterFrame,
  sampleFingerprint,
  TEXT_VARIANTS,
  templateContent,
} from './subjects.ts';

/** State of the videos of a run that this server started. */
export interface RunNotes {
  readonly running: ReadonlyMap<string, VideoProgress>;
  /** Failed video → the content that failed, and why. */
  readonly failed: ReadonlyMap<string, { readonly fingerprint: string; readonly failures: readonly PreviewError[] }>;
}

/** The cards of a repository and all its problems. */
export interface Cards {
  /** Sorted by id. */
  readonly videos: readonly VideoCard[];
  readonly templates: readonly TemplateCard[];
  readonly problems: readonly PreviewProblem[];
}

/**
 * Creates the cards of a repository. A video whose definition has errors keeps its former card, as `invalid`.
 *
 * @param former cards by id
 */
export function cardsOf(
  loaded: LoadedRepository,
  subjects: ReadonlyMap<string, DrawSubject>,
  notes: RunNotes,
  former: ReadonlyMap<string, VideoCard>,
): Cards {
  const problems = diagnosticsJson(loaded.diagnostics, loaded.project.source);
  const byFile = groupBy(problems, ({ file }) => file);
  const problemsIn = (path: string): PreviewProblem[] => byFile.get(path) ?? [];
  const cards = new Map<string, VideoCard>();
  const found = [
    ...validCards(loaded, subjects, notes, problemsIn),
    ...invalidCards(loaded, former, problemsIn),
    ...waitingCards(loaded, former, problemsIn),
    ...unreadCards(loaded, former, problems),
  ];
  for (const card of found) if (!cards.has(card.id)) cards.set(card.id, card);
  return {
    videos: [...cards.values()].sort((a, b) => byCodeUnit(a.id, b.id)),
    templates: templateCards(loaded, problems),
    problems,
  };
}

function* validCards(
  { project, desired, plan, lock }: LoadedRepository,
  subjects: ReadonlyMap<string, DrawSubject>,
  notes: RunNotes,
  problemsIn: (path: string) => PreviewProblem[],
): Iterable<VideoCard> {
  const videos = new Map<string, Video>(project.videos.map((video) => [video.id, video]));
  const changes = new Map<string, Change>((plan?.changes ?? []).map((change) => [change.id, change]));
  for (const desiredVideo of desired) {
    const { id, title, labels, path, fingerprint } = desiredVideo;
    const video = videos.get(id);
    if (video === undefined) continue;
    const change = changes.get(id) ?? null;
    const entry = lock?.videos.get(change?.previousId ?? id) ?? null;
    const subject = subjects.get(fingerprint) ?? null;
    const progress = notes.running.get(id) ?? null;
    const failed = notes.failed.get(id);
    const failures = failed?.fingerprint === fingerprint ? failed.failures : [];
    const isEarlier = entry !== null && entry.fingerprint !== fingerprint;
    yield {
      id,
      title,
      labels,
      path,
      ...defined({ languages: languagesOf(video) }),
      template: firstTemplate(desiredVideo),
      fingerprint,
      progress,
      failures,
      state: progress !== null ? 'running' : failures.length > 0 ? 'failed' : stateOf(desiredVideo, change, entry),
      action: change === null || change.action === 'noop' ? null : change.action,
      reason: change?.reason ?? null,
      beforeFingerprint: isEarlier && subjects.has(entry.fingerprint) ? entry.fingerprint : null,
      picture: subject && pictureOf(subject),
      posterFrame: subject === null ? 0 : posterFrame(subject),
      problems: [path, ...captionFiles(video)].flatMap(problemsIn),
      finished: entry && finishedFile(id, entry, project.root),
    };
  }
}

/** Returns the cards of videos without their speech: as they were with it, or without content. */
function* waitingCards(
  { project }: LoadedRepository,
  former: ReadonlyMap<string, VideoCard>,
  problemsIn: (path: string) => PreviewProblem[],
): Iterable<VideoCard> {
  for (const { id, path, reason } of project.waiting) {
    const card = former.get(id) ?? emptyCard(id, path);
    yield { ...card, ...INVALID, state: 'waiting', reason, problems: problemsIn(path) };
  }
}

function languagesOf({ id, matrix }: Video): VideoCard['languages'] {
  return matrix?.locale === undefined ? undefined : { definition: matrix.definition, row: rowOf(id, matrix) };
}

/** Returns the files of captions of a video. */
function captionFiles({ path, captionOrigins = new Map() }: Video): string[] {
  const spans: readonly Span[] = [...captionOrigins.values()].flat();
  return [...new Set(spans.map(({ file }) => file))].filter((file) => file !== path);
}

/** Returns the cards of definitions with errors: as they were last valid, or without content. */
function* invalidCards(
  { project }: LoadedRepository,
  former: ReadonlyMap<string, VideoCard>,
  problemsIn: (path: string) => PreviewProblem[],
): Iterable<VideoCard> {
  const known = groupBy(former.values(), ({ path }) => path);
  for (const [path, files] of project.origins) {
    if (isFragment(path)) continue;
    const problems = [...new Set([path, ...files])].flatMap(problemsIn);
    if (!problems.some(({ severity }) => severity === 'error')) continue;
    const cards = known.get(path) ?? [emptyCard(idOfPath(path, globBase(project.config.videos)), path)];
    for (const card of cards) yield { ...card, ...INVALID, problems };
  }
}

/** Returns the former cards of videos that cannot be read, because reelform.yaml or their template has errors. */
function* unreadCards(
  { project }: LoadedRepository,
  former: ReadonlyMap<string, VideoCard>,
  problems: readonly PreviewProblem[],
): Iterable<VideoCard> {
  for (const card of former.values()) {
    if (project.templates.has(card.template)) continue;
    const folder = folderOf(project.config.templates.get(card.template));
    const causes = problems.filter(
      ({ severity, file }) => severity === 'error' && (file === CONFIG_FILE || isInFolder(file, folder)),
    );
    if (causes.length > 0) yield { ...card, ...INVALID, problems: causes };
  }
}

const INVALID = { state: 'invalid', action: null, reason: null, progress: null } as const;

function emptyCard(id: string, path: string): VideoCard {
  return {
    id,
    title: id,
    labels: {},
    path,
    template: '',
    state: 'invalid',
    action: null,
    reason: null,
    fingerprint: '',
    beforeFingerprint: null,
    picture: null,
    posterFrame: 0,
    progress: null,
    failures: [],
    problems: [],
    finished: null,
  };
}

/** While the repository has errors there is no plan, and only the content is compared. */
function stateOf({ fingerprint }: DesiredVideo, change: Change | null, entry: LockEntry | null): CardState {
  if (change === null) return entry === null ? 'new' : entry.fingerprint === fingerprint ? 'up_to_date' : 'changed';
  if (change.reason === 'previous_failed') return 'failed';
  switch (change.action) {
    case 'create':
      return 'new';
    case 'update':
      return 'changed';
    case 'noop':
      return 'up_to_date';
    default:
      return 'other';
  }
}

function finishedFile(id: string, entry: LockEntry, root: string): FinishedFile | null {
  const { video_url: url, bytes = null, rendered_at: renderedAt, deliveries = [] } = entry;
  const isLocal = isOutputPath(url);
  if (isLocal && !existsSync(join(root, url))) return null;
  return {
    url: isLocal ? `api/finished?id=${encodeURIComponent(id)}` : url,
    extension: /\.(\w+)(?:[?#].*)?$/.exec(url)?.[1] ?? '',
    bytes,
    renderedAt,
    deliveries: deliveries.map(({ to }) => to),
    ...defined({ isPointer: isLocal && isPointerFile(join(root, url)) ? true : undefined }),
  };
}

function templateCards({ project, desired }: LoadedRepository, problems: readonly PreviewProblem[]): TemplateCard[] {
  const uses = groupBy(desired, firstTemplate);
  return [...project.config.templates].map(([name, config]): TemplateCard => {
    const template: ProjectTemplate | undefined = project.templates.get(name);
    const templatePackage = template?.package ?? null;
    const folder = folderOf(config);
    const content = templatePackage && templateContent(name, templatePackage);
    const fingerprints =
      templatePackage &&
      Object.fromEntries(TEXT_VARIANTS.map((variant) => [variant, sampleFingerprint(templatePackage, variant)]));
    return {
      name,
      folder,
      title: templatePackage?.manifest.name ?? name,
      picture: content && pictureOf(content),
      posterFrame: content === null ? 0 : posterFrame(content),
      fingerprints: fingerprints as Readonly<Record<TextVariant, string>> | null,
      videoCount: uses.get(name)?.length ?? 0,
      problems: problems.filter(({ file }) => isInFolder(file, folder)),
    };
  });
}

/** Returns the folder or file of a template; null for a template of a service. */
function folderOf(config: TemplateConfig | undefined): string | null {
  return config?.kind === 'package' ? config.path : null;
}

function isInFolder(file: string | null, folder: string | null): boolean {
  return folder !== null && (file === folder || file?.startsWith(`${folder}/`) === true);
}

/** Returns null while the repository has errors. */
export function planSummary({ document, plan, project }: LoadedRepository): PlanSummary | null {
  if (document === null || plan === null) return null;
  const { plan_id: id, summary, estimate } = document;
  const { renders, seconds_of_video: videoSeconds, cost, segments } = estimate;
  const { amount = null, currency = '' } = cost ?? {};
  return {
    id,
    counts: { ...summary },
    renders,
    videoSeconds,
    cost: amount === null ? null : { currency, amount },
    segments: segments === undefined ? null : { total: segments.total, toRender: segments.render },
    problems: diagnosticsJson(plan.diagnostics, project.source),
  };
}
