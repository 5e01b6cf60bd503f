import type { SoundLengths } from '../contract/video-measures.ts';
import type { OutputRequest } from '../contract/wire/output.ts';
import type { Diagnostic } from '../kernel/diagnostic.ts';
import type { Sha256 } from '../kernel/digest.ts';
import type { MatrixPlace, Video } from '../reconciler/definition/video.ts';
import type { VideoTemplates } from '../reconciler/definition/video-templates.ts';
import type { LocaleCatalogue } from '../reconciler/locales/catalogue.ts';
import type { LocaleSettings } from '../reconciler/locales/locale-settings.ts';
import type { Lock } from '../reconciler/lock/lock.ts';
import type { DesiredVideo } from '../reconciler/plan/desired-video.ts';
import type { Plan } from '../reconciler/plan/plan.ts';
import type { PlanDocument } from '../reconciler/plan/plan-document.ts';
import type { Project } from '../reconciler/project/load-project.ts';
import type { SpokenText } from '../reconciler/speech/spoken-text.ts';
import type { JsonDiagnostic } from '../report/json/diagnostics-json.ts';
import type { StreamEvent } from '../report/json/event-json.ts';
import type { RenderPool } from '../service/sessions/processes/render-pool.ts';
import type { SegmentCache } from '../service/sessions/segments/segment-cache.ts';
import type { VideoInput } from '../template/render-input.ts';
import type { PreviewProblem } from './problem-protocol.ts';
import type { HistoryEntry } from './protocol.ts';

/** A repository as `reelform plan` sees it. */
export interface LoadedRepository {
  readonly project: Project;
  /** Sorted by id, without videos that have errors. */
  readonly desired: readonly DesiredVideo[];
  /** Diagnostics of the definitions and of the plan. */
  readonly diagnostics: readonly Diagnostic[];
  /** Null if it cannot be read. */
  readonly lock: Lock | null;
  /** Null while the repository has errors. */
  readonly plan: Plan | null;
  /** The plan in its public form; null while the repository has errors. */
  readonly document: PlanDocument | null;
  /** Returns the templates of a video and when it shows them; null if only the service has some of them. */
  templatesOf(video: Video): VideoTemplates | null;
}

/** The languages of a definition as its files have them now. */
export interface DefinitionLanguages {
  readonly settings: LocaleSettings;
  /** Videos of the definition; those that wait have the texts of the source language where a translation is missing. */
  readonly videos: readonly DrawnVideo[];
  readonly catalogues: readonly LocaleCatalogue[];
  /** Returns a function that finds the editables of a video that show a text, by the name of the text in catalogues. */
  viewOf(video: Video): (context: string) => readonly string[] | null;
  /** Cells of data files and entries of catalogues that filled in the videos. */
  readonly filled: Project['filled'];
  /** Returns the text of a data file. */
  source(file: string): string | undefined;
}

export interface DrawnVideo {
  readonly video: Video & { readonly matrix: MatrixPlace };
  readonly fingerprint: string;
  /** Null if only the service has a template. */
  readonly templates: VideoTemplates | null;
  /** Content of local files. */
  readonly assets: ReadonlyMap<string, { readonly sha256: Sha256 }>;
}

interface OpenSegments {
  readonly cache: SegmentCache;
  close(): Promise<void>;
}

export interface RunObserver {
  take(event: StreamEvent): void;
  /** Takes the diagnostics of an error that ended the run. */
  fail(diagnostics: readonly JsonDiagnostic[]): void;
}

/** Functions of the commands that the server calls, so that a plan, a frame and an apply are the same in the page and in a terminal. */
export interface PreviewPorts {
  /** Absolute. */
  readonly root: string;
  readonly version: string;
  readonly pageFolder: string;
  readonly pool: RenderPool;
  /** Maximum concurrent tasks of the pool. */
  readonly capacity: number;
  now(): number;
  monotonicNow(): number;
  /** Reads the repository and plans, as `reelform plan` does. */
  load(): Promise<LoadedRepository>;
  /**
   * Reads the definitions that changed files belong to, ahead of a plan. Their changes are left out of the plan.
   *
   * @param changed repository-relative
   * @returns null if the whole repository has to be read
   */
  reload(loaded: LoadedRepository, changed: ReadonlySet<string>): LoadedRepository | null;
  /**
   * Reads the catalogues, and the videos of a definition.
   *
   * @throws ReelformError `locales_missing`
   */
  languages(definition: string): Promise<DefinitionLanguages>;
  /** Creates the input of a video, as `reelform render` does. @throws as `OpenInputs.inputOf` */
  inputOf(video: Video, templates: VideoTemplates, output: OutputRequest): Promise<VideoInput>;
  /**
   * Returns the lengths of sounds, decoding local ones that no earlier run has measured. A file that cannot be decoded has none.
   *
   * @param digests of their content, by path relative to the repository
   */
  soundLengths(digests: ReadonlyMap<string, Sha256>): Promise<SoundLengths>;
  /** Speaks a text and writes its files, also if it was spoken before. @throws ReelformError `speech_failed` */
  speak(text: SpokenText, signal: AbortSignal): Promise<void>;
  readonly draftCache: SegmentCache;
  /** Opens the cache of finished segments as an apply does; null if it is disabled. */
  openSegments(project: Project): OpenSegments | null;
  /** Returns the plan with the segments that it renders; null without a plan. */
  countedPlan(loaded: LoadedRepository): Promise<PlanDocument | null>;
  /** Returns earlier renderings of a video, the newest first. */
  history(id: string): Promise<readonly HistoryEntry[]>;
  /** Checks a template package as `reelform template check` does. @param folder repository-relative */
  checkTemplate(folder: string): Promise<readonly PreviewProblem[]>;
  /** Opens a file in the editor of the user. @param path absolute @throws ReelformError if there is none */
  openEditor(path: string, position: { readonly line: number; readonly column: number }): Promise<void>;
  /**
   * Applies as `reelform apply --expect-plan` does. When the signal is aborted, running renders end and are recorded.
   *
   * @returns the exit status
   */
  apply(plan: string, observer: RunObserver, signal: AbortSignal): Promise<number>;
  /** Reports an error that has no request to answer. */
  report(error: unknown): void;
}
