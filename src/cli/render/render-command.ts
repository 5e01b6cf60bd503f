import { join, relative, resolve } from 'node:path';
import { OUTPUT_FILE_TYPES, type OutputRequest } from '../../contract/wire/output.ts';
import { EXIT, ReelformError } from '../../kernel/diagnostic.ts';
import type { FileData } from '../../kernel/replace-file.ts';
import { failureOf } from '../../reconciler/apply/events.ts';
import { templatesOf, type Video } from '../../reconciler/definition/video.ts';
import type { VideoTemplates } from '../../reconciler/definition/video-templates.ts';
import { OUTPUTS_FOLDER } from '../../reconciler/lock/lock.ts';
import { createPointerSearch } from '../../reconciler/project/find-pointers.ts';
import { loadProject, type Project } from '../../reconciler/project/load-project.ts';
import { writeFileAtomic, writeLinkedFile } from '../../reconciler/project/write-file.ts';
import { renderedText, renderFailedText, renderProgressText } from '../../report/terminal/render-text.ts';
import { bindHere } from '../../service/sessions/bind-template.ts';
import { renderCapacity } from '../../service/sessions/processes/render-pool.ts';
import { type FinishedRequest, type RenderRequestPorts, renderRequest } from '../../service/sessions/render-request.ts';
import { renderWorkload } from '../../service/sessions/render-time.ts';
import { createSegmentRenderer } from '../../service/sessions/segments/segment-renderer.ts';
import { sessionProblems } from '../../service/sessions/session-problems.ts';
import { SharedRenders } from '../../service/sessions/single-flight.ts';
import { type JsonOptions, workingDirectory } from '../global-options.ts';
import { type Io, isScreen, wantsColor } from '../io.ts';
import { printDiagnostics, printResult } from '../output.ts';
import { measuresOf, projectTemplates } from '../state/video-templates.ts';
import { exportLottie, LOTTIE_EXTENSION, wantsLottie } from './export-lottie.ts';
import { measureVideo } from './measure-video.ts';
import { filledBy, openInputs } from './open-inputs.ts';
import { openCommandPool } from './open-pool.ts';
import { type FileFlags, findVideo, frameOf, mistakesOf, outputOf, type RenderFlags } from './render-request.ts';
import { openSegmentCache } from './segment-cache.ts';

/** Minimum interval in milliseconds between updates of the progress line. */
const STEP_MS = 200;

interface RenderCommandOptions extends JsonOptions, RenderFlags {
  /** False to render all segments and keep none. */
  readonly segmentCache?: boolean;
}

/**
 * `reelform render FILE|ID`: renders one video, or one frame of it, to a file with the embedded engine. Neither reads
 * nor writes the lockfile and the journal.
 */
export async function renderCommand(wanted: string, options: RenderCommandOptions, io: Io): Promise<number> {
  const directory = workingDirectory(options, io);
  const project = await loadProject({ cwd: directory });
  const video = findVideo(wanted, project, directory);
  const mistakes = mistakesOf(video ?? wanted, project, directory);
  if (video === null || mistakes.length > 0) {
    printDiagnostics(mistakes.length > 0 ? mistakes : project.diagnostics, project.source, options, io);
    return EXIT.error;
  }
  const unmeasured = (await measureVideo(video, project, io)).filter(({ severity }) => severity === 'error');
  if (unmeasured.length > 0) {
    printDiagnostics(unmeasured, project.source, options, io);
    return EXIT.error;
  }
  const templates = packagesOf(video, project);
  const measures = measuresOf(video, templates);
  const pointers = createPointerSearch(project)(video);
  if (pointers.length > 0) {
    printDiagnostics(pointers, project.source, options, io);
    return EXIT.error;
  }
  if (wantsLottie(options)) {
    const path = resolve(directory, options.out ?? lookPath(video, LOTTIE_EXTENSION, project));
    return exportLottie({ video, templates, path }, project, options, io);
  }
  const output = outputOf(options as FileFlags, video.output, measures);
  const frame = options.frame === undefined ? null : frameOf(options.frame, output, measures);
  const startedAt = io.monotonicNow();
  const path = resolve(directory, options.out ?? defaultPath(video, output, frame, options, project));
  const outputs = fileOutputs(options.out === undefined ? writeFileAtomic : writeLinkedFile);
  const finished = await render({ video, templates, output, frame, path }, outputs, project, options, io);
  if (typeof finished === 'number') return finished;
  const { renderInput } = finished.bound;
  const { width, height, fps } = renderInput;
  const { format } = renderInput.output;
  const frames = renderWorkload(renderInput).frameCount;
  const figures = { width, height, frames, bytes: finished.files[0]!.bytes };
  const elapsedMs = io.monotonicNow() - startedAt;
  const document = { format_version: '1.0', video: video.id, path, format, ...figures, fps, frame };
  const text = renderedText({ path: relative(io.cwd, path), ...figures, elapsedMs });
  printResult({ ...document, elapsed_ms: Math.round(elapsedMs) }, () => text, options, io);
  return EXIT.ok;
}

/** @throws ReelformError `template_invalid` if only the service has a template */
function packagesOf(video: Video, project: Project): VideoTemplates {
  const found = projectTemplates(project)(video);
  if (found !== null) return found;
  const template = templatesOf(video).find((name) => project.templates.get(name)?.package == null)!;
  throw new ReelformError('template_invalid', `The template ${template} is only available on the service`, {
    hint: 'Local rendering needs a template package: name its folder in reelform.yaml',
  });
}

interface Wanted {
  readonly video: Video;
  readonly templates: VideoTemplates;
  readonly output: OutputRequest;
  readonly frame: number | null;
  /** Absolute. */
  readonly path: string;
}

/** Writes each video to the path that is its name, without stills. */
function fileOutputs(write: (path: string, data: FileData) => Promise<void>): RenderRequestPorts['outputs'] {
  return {
    find: async () => null,
    async save(_digest, path, files) {
      const { video } = files[0]!;
      await write(path, () => video.chunks());
      return [{ video_url: path, thumbnails: [], bytes: video.size, sha256: await video.sha256() }];
    },
  };
}

/** @returns an exit code if rendering failed, with the error printed */
async function render(
  { video, templates, output, frame, path }: Wanted,
  outputs: RenderRequestPorts['outputs'],
  project: Project,
  options: RenderCommandOptions,
  io: Io,
): Promise<FinishedRequest | number> {
  const inputs = openInputs(project.root, io, 'render');
  const parallel = renderCapacity();
  const pool = openCommandPool(io, project.config.encoder);
  pool.warm(output.format === 'png' ? 1 : parallel, output.format === 'png' ? 'pictures' : 'videos');
  const segments = openSegmentCache(project, io, { isOn: options.segmentCache !== false });
  const interruption = new AbortController();
  const stopListening = io.onInterrupt(() => interruption.abort(new Error('interrupted')));
  const line = progressLine(video.id, io);
  const ports: RenderRequestPorts = {
    sources: inputs.sources,
    async bindTemplate(input) {
      const whole = bindHere(input);
      const stills =
        frame === null ? whole.stills.slice(0, output.format === 'png' ? 1 : 0) : [{ name: 'frame', frame }];
      // Only files of an apply contain a fingerprint.
      return { ...whole, stills, output: { ...whole.output, fingerprint: null } };
    },
    renderer: createSegmentRenderer({ runner: pool, parallel, cache: segments?.cache ?? null }),
    outputs,
    renders: new SharedRenders(),
  };
  try {
    const request = await inputs.requestOf(video, templates, output);
    const { signal } = interruption;
    return (await renderRequest(request, path, ports, { signal, onProgress: line.show }))!;
  } catch (error) {
    line.clear();
    if (interruption.signal.aborted) return EXIT.interrupted;
    if (error instanceof ReelformError) throw error;
    const color = wantsColor(io.stderr, io.env, options.color);
    io.stderr.write(renderFailedText(sessionProblems(error, filledBy(video)).map(failureOf), { color }));
    return EXIT.renderFailed;
  } finally {
    line.clear();
    stopListening();
    await pool.close();
    await segments?.close();
    await inputs.close();
  }
}

/** Shows progress in one line that is overwritten; nothing without a screen. */
function progressLine(id: string, io: Io) {
  const startedAt = io.monotonicNow();
  let shownAt = -Infinity;
  const write = (text: string): void => {
    if (isScreen(io.stderr, io.env)) io.stderr.write(`\r\u001b[K${text}`);
  };
  return {
    show: (done: number, count: number): void => {
      if (io.monotonicNow() - shownAt < STEP_MS) return;
      shownAt = io.monotonicNow();
      write(renderProgressText(id, done, count, shownAt - startedAt).slice(0, io.stderr.columns - 1));
    },
    clear: (): void => write(''),
  };
}

/** Returns a path below `renders/`, which Git ignores, that apply never writes to. */
function defaultPath(
  video: Video,
  output: OutputRequest,
  frame: number | null,
  { draft }: RenderCommandOptions,
  project: Project,
): string {
  const marks = [...(frame === null ? [] : [`frame-${frame}`]), ...(draft === true ? ['draft'] : [])];
  const { extension } = OUTPUT_FILE_TYPES[output.format ?? 'mp4'];
  return lookPath(video, [...marks, extension].join('.'), project);
}

function lookPath({ id }: Video, ending: string, { root }: Project): string {
  return join(root, OUTPUTS_FOLDER, 'looks', `${id}.${ending}`);
}
