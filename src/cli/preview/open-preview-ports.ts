import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SoundLengths } from '../../contract/video-measures.ts';
import { builtFile } from '../../engine/built-file.ts';
import { renderBuild, SOFTWARE } from '../../engine/codec/video-encoder.ts';
import type { Sha256 } from '../../kernel/digest.ts';
import { tryGit } from '../../reconciler/git/run-git.ts';
import { readLock } from '../../reconciler/lock/lock-file.ts';
import { parseLock } from '../../reconciler/lock/lock-format.ts';
import { type DesiredVideo, remoteContent } from '../../reconciler/plan/desired-video.ts';
import { type PlanDocument, planDocument } from '../../reconciler/plan/plan-document.ts';
import { LOCK_FILE } from '../../reconciler/project/repository-layout.ts';
import type { SpokenText } from '../../reconciler/speech/spoken-text.ts';
import { diagnosticsJson, type JsonDiagnostic } from '../../report/json/diagnostics-json.ts';
import { renderCapacity } from '../../service/sessions/processes/render-pool.ts';
import type { TaskRunner } from '../../service/sessions/processes/tasks.ts';
import { FolderSegmentStore } from '../../service/sessions/segments/folder-segment-store.ts';
import { SegmentCache } from '../../service/sessions/segments/segment-cache.ts';
import { ALLOW_EVERYTHING } from '../../service/sessions/sources/allow-list.ts';
import type { LoadedRepository, PreviewPorts, RunObserver } from '../../studio/ports.ts';
import type { HistoryEntry } from '../../studio/protocol.ts';
import { applyCommand } from '../apply/apply-command.ts';
import { reportError } from '../errors.ts';
import { BUILD, VERSION } from '../global-options.ts';
import type { Io } from '../io.ts';
import { measuredMixes } from '../plan/lint-cache.ts';
import { segmentsToRender } from '../plan/make-plan.ts';
import { applyPolicies, openPlan } from '../plan/open-plan.ts';
import { projectVideos } from '../plan/planned-videos.ts';
import { openInputs } from '../render/open-inputs.ts';
import { openMeasure } from '../render/open-measure.ts';
import { openCommandPool } from '../render/open-pool.ts';
import { openSegmentCache } from '../render/segment-cache.ts';
import { cachedLengths } from '../state/cached-lengths.ts';
import { loadDesiredState } from '../state/load-desired-state.ts';
import { measureSounds } from '../state/measure-sounds.ts';
import { projectTemplates } from '../state/video-templates.ts';
import { readNamedPackage } from '../template/named-package.ts';
import { checkPackage } from '../template/template-check-command.ts';
import { openEditor } from './open-editor.ts';
import { ChangeReader } from './reload-changed.ts';

/** @param root absolute */
export function openPreviewPorts(root: string, io: Io): PreviewPorts & { close(): Promise<void> } {
  const inputs = openInputs(root, io, 'preview');
  const pool = openCommandPool(io);
  const changes = new ChangeReader();
  const measureNew = openNewSounds(root, io, pool);
  return {
    root,
    version: VERSION,
    pageFolder: fileURLToPath(builtFile(import.meta.url, 'preview-page')),
    pool,
    capacity: renderCapacity(),
    now: () => io.now(),
    monotonicNow: () => io.monotonicNow(),
    load: () => loadRepository(root, io, pool, measureNew),
    reload: (loaded, changed) => changes.read(loaded, changed),
    languages: async (definition) => (await import('./read-languages.ts')).readLanguages(root, definition),
    inputOf: inputs.inputOf,
    soundLengths: (digests) => soundLengths(root, digests, pool),
    speak: (text, signal) => speakAgain(text, root, io, signal),
    draftCache: openDraftCache(root, io),
    openSegments: (project) => openSegmentCache(project, io, { warns: false }),
    countedPlan: (loaded) => countedPlan(loaded, io),
    history: (id) => videoHistory(root, id),
    checkTemplate: (folder) => checkTemplate(folder, root, io),
    openEditor: (path, position) => openEditor(path, position, io.env),
    apply: (plan, observer, signal) => applyFromPage(root, plan, observer, { signal, io }),
    report: (error) => void reportError(error, io),
    async close() {
      await pool.close();
      await inputs.close();
    },
  };
}

async function loadRepository(
  root: string,
  io: Io,
  pool: TaskRunner<'length'>,
  measureNew: (videos: readonly DesiredVideo[]) => Promise<boolean>,
): Promise<LoadedRepository> {
  const read = () => loadDesiredState(root, { cache: false, lengthCache: true, openPool: async () => pool });
  const first = await read();
  const repository = (await measureNew(first.desired)) ? await read() : first;
  const planned = await applyPolicies(await openPlan(root, {}, io, { repository }), {}, io);
  const project = await repository.project();
  const { opened, diagnostics } = planned;
  const { desired } = repository;
  const loaded = { project, desired, diagnostics, templatesOf: projectTemplates(project) };
  if (opened !== null) {
    const { plan, lock } = opened;
    const document = planDocument(plan, VERSION, [], repository.labels);
    return { ...loaded, lock, plan, document };
  }
  const lock = await readLock(join(root, LOCK_FILE), LOCK_FILE);
  return { ...loaded, lock: lock.ok ? lock.value : null, plan: null, document: null };
}

/**
 * Returns a function that measures the remote sounds whose lengths are not known, because the page fetches them to draw the videos. Asks
 * for each sound once. It returns whether any lengths are new.
 */
function openNewSounds(root: string, io: Io, pool: TaskRunner<'length'>) {
  const measure = openMeasure({ root, allow: ALLOW_EVERYTHING, openPool: async () => pool }, io);
  const asked = new Set<string>();
  return async (videos: readonly DesiredVideo[]): Promise<boolean> => {
    const unknown = (video: DesiredVideo) => remoteContent(video).filter((url) => video.contentLengths?.[url] === null);
    const urls = [...new Set(videos.flatMap(unknown))].filter((url) => !asked.has(url));
    if (urls.length === 0) return false;
    for (const url of urls) asked.add(url);
    const measured = await measure(urls);
    return [...measured.values()].some((sound) => 'length' in sound);
  };
}

/** Why a sound cannot be measured is not reported here: lint and apply do. */
async function soundLengths(
  root: string,
  digests: ReadonlyMap<string, Sha256>,
  pool: TaskRunner<'length'>,
): Promise<SoundLengths> {
  const sounds = [...digests].map(([path, digest]) => ({ path, digest, at: { file: path, start: 0, end: 0 } }));
  const { lengths } = await measureSounds(root, sounds, { cache: true, openPool: async () => pool });
  const cached = cachedLengths({ root, assets: new Map() });
  return (location) => lengths(location) ?? cached(location);
}

async function speakAgain(text: SpokenText, root: string, io: Io, signal: AbortSignal): Promise<void> {
  const [{ speechPorts }, { speakTexts }] = await Promise.all([
    import('../speak/speak-command.ts'),
    import('../../reconciler/speech/speak-texts.ts'),
  ]);
  const [outcome] = await speakTexts([text], speechPorts(root, io), signal);
  signal.throwIfAborted();
  if (outcome?.kind === 'failed') throw outcome.error;
}

/** Opens the cache for segments of drafts. Separate, so that drafts do not evict finished segments. */
function openDraftCache(root: string, io: Io): SegmentCache {
  const folder = join(root, '.reelform', 'drafts');
  return new SegmentCache({
    store: new FolderSegmentStore({ folder, maxBytes: DRAFT_CACHE_BYTES, now: () => io.now() }),
    build: renderBuild(`${VERSION} ${BUILD ?? 'from sources'}`, SOFTWARE),
    // Drafts are rendered without it.
    onFailure: () => undefined,
  });
}

const DRAFT_CACHE_BYTES = 256 << 20;

async function countedPlan({ plan, project }: LoadedRepository, io: Io): Promise<PlanDocument | null> {
  if (plan === null) return null;
  const videos = projectVideos(project, 'plan', io);
  const segments = await segmentsToRender(plan, videos, io, false).finally(() => videos.close());
  const label = (template: string, key: string) => project.templates.get(template)?.spec.editables[key]?.label;
  const diagnostics = diagnosticsJson(plan.diagnostics, project.source);
  return planDocument(plan, VERSION, diagnostics, label, segments, measuredMixes(project.root, plan));
}

async function checkTemplate(folder: string, root: string, io: Io): Promise<readonly JsonDiagnostic[]> {
  const found = readNamedPackage(folder, root);
  const { diagnostics } = await checkPackage(found, io);
  return diagnosticsJson(diagnostics, found.source);
}

/** Discards the output: the page shows the events of the run. */
const NOWHERE = { write: () => undefined, isTTY: false, columns: 80, rows: 24 };

/**
 * Runs `reelform apply` for the page, with the plan that the user has confirmed there.
 *
 * @param root absolute
 * @param signal interrupts as the first Ctrl-C on a terminal does
 * @returns the exit status
 */
function applyFromPage(
  root: string,
  plan: string,
  observer: RunObserver,
  { signal, io }: { readonly signal: AbortSignal; readonly io: Io },
): Promise<number> {
  const pageIo: Io = {
    ...io,
    stdout: NOWHERE,
    // As on a terminal, an interrupted run waits for its renders. A dumb terminal gets no live view.
    stderr: { ...NOWHERE, isTTY: true },
    env: { ...io.env, TERM: 'dumb', CI: '' },
    interactive: false,
    cwd: root,
    onInterrupt(listener) {
      signal.addEventListener('abort', listener, { once: true });
      return () => signal.removeEventListener('abort', listener);
    },
    onWriteError: () => undefined,
    onResize: () => () => undefined,
  };
  return applyCommand(undefined, { autoApprove: true, expectPlan: plan, color: false }, pageIo, observer);
}

/** Versions of the lockfile that are read. */
const COMMITS = 40;
const TIME_MS = 3_000;

/**
 * Returns the earlier renderings of a video from the versions of the lockfile in Git, the newest first. Best effort: without Git or time
 * there are fewer.
 *
 * @param root absolute
 */
async function videoHistory(root: string, id: string): Promise<readonly HistoryEntry[]> {
  const until = performance.now() + TIME_MS;
  const log = await tryGit(root, ['log', `-n${COMMITS}`, '--format=%H', '--', LOCK_FILE], { timeoutMs: TIME_MS });
  const found = new Map<string, HistoryEntry>();
  for (const commit of (log ?? '').split('\n').filter((line) => line !== '')) {
    if (performance.now() > until) break;
    const text = await tryGit(root, ['cat-file', 'blob', `${commit}:./${LOCK_FILE}`], { timeoutMs: TIME_MS });
    // Parsing takes longer than searching.
    if (text === null || !text.includes(JSON.stringify(id))) continue;
    const lock = parseLock(text, LOCK_FILE);
    const entry = lock.ok ? lock.value.videos.get(id) : undefined;
    // The oldest commit with an entry has recorded it.
    if (entry !== undefined) {
      const { rendered_at: renderedAt, title, session } = entry;
      found.set(session, { renderedAt, commit, title });
    }
  }
  return [...found.values()].sort((a, b) => (a.renderedAt < b.renderedAt ? 1 : -1));
}
