import { join, relative, resolve } from 'node:path';
import type { Video } from '../../definition/video.ts';
import { EXIT, ReelformError } from '../../diagnostic.ts';
import { OUTPUTS_FOLDER } from '../../lock/lock.ts';
import { loadProject, type Project } from '../../project/load-project.ts';
import { writeFileAtomic, writeLinkedFile } from '../../project/write-file.ts';
import { renderedText, renderFailedText, renderProgressText } from '../../report/terminal/render-text.ts';
import { sandboxFromEnvironment } from '../../sandbox/sandbox.ts';
import { chooseEncoder, createRenderPool, renderCapacity } from '../../session/processes/render-pool.ts';
import { createSegmentRenderer } from '../../session/segments/segment-renderer.ts';
import { sessionProblems } from '../../session/session-problems.ts';
import { OUTPUT_FILE_TYPES } from '../../template/output-file-types.ts';
import type { Scene } from '../../template/scene.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import type { Mapping } from '../../wire/mapping.ts';
import type { OutputRequest } from '../../wire/output.ts';
import { directoryOf, tellDiagnostics } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type Io, isScreen, wantsColor } from '../io.ts';
import { openSegmentCache } from '../service/open-segment-cache.ts';
import { openScenes } from './open-scenes.ts';
import { findVideo, frameOf, mistakesOf, outputOf, type RenderFlags } from './render-request.ts';

/** Nobody reads faster, and a terminal takes its time. */
const STEP_MS = 200;

export interface RenderOptions extends GlobalOptions, RenderFlags {
  readonly json?: boolean;
  /** False: all segments are rendered, and none is kept. */
  readonly segmentCache?: boolean;
}

/**
 * `reelform render FILE|ID`: one video, or one frame of it, as a file to look at. The lockfile and the journal are neither
 * read nor written, whatever service reelform.yaml names: the embedded engine renders.
 */
export async function renderCommand(wanted: string, options: RenderOptions, io: Io): Promise<number> {
  const directory = directoryOf(options, io);
  const project = await loadProject({ cwd: directory });
  const video = findVideo(wanted, project, directory);
  const mistakes = mistakesOf(video ?? wanted, project, directory);
  if (video === null || mistakes.length > 0) {
    tellDiagnostics(mistakes.length > 0 ? mistakes : project.diagnostics, project.source, options, io);
    return EXIT.error;
  }
  const template = packageOf(video, project);
  const output = outputOf(options, video.output, template);
  const frame = options.frame === undefined ? null : frameOf(options.frame, output, template);
  const startedAt = io.monotonicNow();
  const rendered = await render({ video, template, output, frame }, project, options, io);
  if (typeof rendered === 'number') return rendered;
  const path = resolve(directory, options.out ?? defaultPath(video, output, frame, options, project));
  const write = options.out === undefined ? writeFileAtomic : writeLinkedFile;
  await write(path, rendered.bytes);
  const { format, width, height, fps, frames } = rendered;
  const told = { width, height, frames, bytes: rendered.bytes.length };
  const elapsedMs = io.monotonicNow() - startedAt;
  if (options.json === true) {
    const document = { format_version: '1.0', video: video.id, path, format, ...told, fps, frame };
    io.stdout.write(`${JSON.stringify({ ...document, elapsed_ms: Math.round(elapsedMs) }, null, 2)}\n`);
  } else {
    io.stdout.write(renderedText({ path: relative(io.cwd, path), ...told, elapsedMs }));
  }
  return EXIT.ok;
}

/** @throws ReelformError `template_invalid` where the package is elsewhere */
function packageOf({ template }: Video, { templates }: Project): TemplatePackage {
  const found = templates.get(template)?.package ?? null;
  if (found !== null) return found;
  throw new ReelformError('template_invalid', `The template ${template} is not here, only its name at the service`, {
    hint: 'Videos are rendered here from a template package: in reelform.yaml, name its folder',
  });
}

interface Wanted {
  readonly video: Video;
  readonly template: TemplatePackage;
  readonly output: OutputRequest;
  readonly frame: number | null;
}

interface Rendered extends Pick<Scene, 'width' | 'height' | 'fps'> {
  readonly bytes: Uint8Array;
  readonly format: keyof typeof OUTPUT_FILE_TYPES;
  readonly frames: number;
}

/** @returns an exit code, when what went wrong has been told */
async function render(
  { video, template, output, frame }: Wanted,
  project: Project,
  options: RenderOptions,
  io: Io,
): Promise<Rendered | number> {
  const encoder = chooseEncoder(project.config.encoder, io.env);
  const scenes = openScenes(project.root, io, 'render');
  const parallel = renderCapacity();
  const pool = (io.createRenderPool ?? createRenderPool)({
    size: parallel,
    encoder,
    sandbox: sandboxFromEnvironment(io.env),
  });
  const segments = openSegmentCache(project, io, options.segmentCache ?? true);
  const interruption = new AbortController();
  const stopListening = io.onInterrupt(() => interruption.abort(new Error('interrupted')));
  const line = progressLine(video.id, io);
  try {
    const whole = await scenes.sceneOf(video, template, output);
    const stills = frame === null ? whole.stills.slice(0, output.format === 'png' ? 1 : 0) : [{ name: 'frame', frame }];
    const scene = { ...whole, stills };
    const { signal } = interruption;
    const renderer = createSegmentRenderer({ runner: pool, parallel, cache: segments?.cache ?? null });
    const rendering = await renderer.render(scene, { signal, onProgress: line.show });
    const { width, height, fps } = scene;
    const frames = rendering.format === 'png' ? 1 : scene.frameCount;
    return { bytes: rendering.video, format: rendering.format, width, height, fps, frames };
  } catch (error) {
    line.clear();
    if (interruption.signal.aborted) return EXIT.interrupted;
    if (error instanceof ReelformError) throw error;
    const color = wantsColor(io.stderr, io.env, options.color);
    io.stderr.write(renderFailedText(sessionProblems(error, filledBy(video)), { color }));
    return EXIT.renderFailed;
  } finally {
    line.clear();
    stopListening();
    await pool.close();
    await segments?.close();
    await scenes.close();
  }
}

/** One line on a screen that is written over; nothing elsewhere. */
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

/** Below `renders/`, which git ignores, and never under a name that apply writes. */
function defaultPath(
  { id }: Video,
  output: OutputRequest,
  frame: number | null,
  { draft }: RenderOptions,
  { root }: Project,
): string {
  const marks = [...(frame === null ? [] : [`frame-${frame}`]), ...(draft === true ? ['draft'] : [])];
  const { extension } = OUTPUT_FILE_TYPES[output.format ?? 'mp4'];
  return join(root, OUTPUTS_FOLDER, 'looks', [id, ...marks, extension].join('.'));
}

/** The names of what the definition fills, so that errors can tell it from what is the template's own. */
function filledBy({ resources, audio }: Video): Pick<Mapping, 'resources' | 'audio_tracks'> {
  const names = (map: ReadonlyMap<string, unknown>) =>
    Object.fromEntries([...map.keys()].map((name) => [name, { source: { remote_url: '' } }]));
  return { resources: names(resources), audio_tracks: names(audio) };
}
