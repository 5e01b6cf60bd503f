import { relative } from 'node:path';
import { packRenderInput } from '../../engine/packed-input.ts';
import { type Diagnostic, EXIT, ReelformError, warningAt } from '../../kernel/diagnostic.ts';
import { failureOf } from '../../reconciler/apply/events.ts';
import { valueSpan } from '../../reconciler/definition/filled-values.ts';
import type { Video } from '../../reconciler/definition/video.ts';
import type { VideoTemplates } from '../../reconciler/definition/video-templates.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import { writeFileAtomic, writeLinkedFile } from '../../reconciler/project/write-file.ts';
import { renderedText, renderFailedText } from '../../report/terminal/render-text.ts';
import type { TaskOutput } from '../../service/sessions/processes/tasks.ts';
import { sessionProblems } from '../../service/sessions/session-problems.ts';
import type { JsonOptions } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { printDiagnostics, printResult } from '../output.ts';
import { measuresOf } from '../state/video-templates.ts';
import { filledBy, openInputs } from './open-inputs.ts';
import { openCommandPool } from './open-pool.ts';
import type { RenderFlags } from './render-request.ts';

/** Extension of a Lottie document, without the dot. */
export const LOTTIE_EXTENSION = 'json';

/**
 * Returns whether options ask for a Lottie document instead of a rendered file.
 *
 * @throws ReelformError `options_conflict` for options that only rendered files have
 */
export function wantsLottie({ format, out, frame, draft, height, fps }: RenderFlags): boolean {
  const isNamed = out?.toLowerCase().endsWith(`.${LOTTIE_EXTENSION}`) === true;
  if (format !== 'lottie' && !(format === undefined && isNamed)) return false;
  const given = Object.entries({ frame, draft, height, fps }).filter(([, value]) => value !== undefined);
  if (given.length > 0) {
    throw new ReelformError('options_conflict', `--${given[0]![0]} cannot be combined with a Lottie document`, {
      hint: 'A Lottie document has the size and rate of its video, and all its frames. Remove the option',
    });
  }
  if (out === undefined || isNamed) return true;
  throw new ReelformError('options_conflict', `--out is ${out}, but the format is lottie`, {
    hint: `Use the extension .${LOTTIE_EXTENSION}`,
  });
}

interface Wanted {
  readonly video: Video;
  readonly templates: VideoTemplates;
  /** Absolute. */
  readonly path: string;
}

/** Writes a video as one Lottie document, and reports what a player shows differently. @returns the exit code */
export async function exportLottie(
  { video, templates, path }: Wanted,
  project: Project,
  options: JsonOptions & RenderFlags,
  io: Io,
): Promise<number> {
  const startedAt = io.monotonicNow();
  const exported = await runExport({ video, templates }, project, options, io);
  if (typeof exported === 'number') return exported;
  const { file, differences } = exported;
  try {
    const write = options.out === undefined ? writeFileAtomic : writeLinkedFile;
    await write(path, () => file.stream());
    const { width, height, frames, rate: fps } = measuresOf(video, templates);
    const figures = { width, height, frames, bytes: file.size };
    const elapsedMs = io.monotonicNow() - startedAt;
    printDiagnostics(
      differences.map((difference) => differenceWarning(video, difference, project)),
      project.source,
      options,
      io,
    );
    const document = { format_version: '1.0', video: video.id, path, format: 'lottie', ...figures, fps, frame: null };
    const text = renderedText({ path: relative(io.cwd, path), ...figures, elapsedMs });
    printResult({ ...document, elapsed_ms: Math.round(elapsedMs) }, () => text, options, io);
    return EXIT.ok;
  } finally {
    file.close();
  }
}

/** @returns an exit code if it failed, with the error printed */
async function runExport(
  { video, templates }: Omit<Wanted, 'path'>,
  project: Project,
  options: JsonOptions,
  io: Io,
): Promise<TaskOutput<'lottie'> | number> {
  const inputs = openInputs(project.root, io, 'render');
  const pool = openCommandPool(io);
  const interruption = new AbortController();
  const stopListening = io.onInterrupt(() => interruption.abort(new Error('interrupted')));
  try {
    const input = await inputs.inputOf(video, templates);
    return await pool.run('lottie', packRenderInput(input), { signal: interruption.signal });
  } catch (error) {
    if (interruption.signal.aborted) return EXIT.interrupted;
    if (error instanceof ReelformError) throw error;
    const color = wantsColor(io.stderr, io.env, options.color);
    io.stderr.write(renderFailedText(sessionProblems(error, filledBy(video)).map(failureOf), { color }));
    return EXIT.renderFailed;
  } finally {
    stopListening();
    await pool.close();
    await inputs.close();
  }
}

/** Reports a clip that keeps its own clock in the rendered video, but has that of its template in the document, and captions. */
function differenceWarning(
  video: Video,
  { part, name, fromSeconds }: TaskOutput<'lottie'>['differences'][number],
  located: Project,
): Diagnostic {
  if (part === 'captions') {
    const message = `From ${fromSeconds.toFixed(1)} s, the Lottie document lacks the captions that a text of the template shows in the rendered video`;
    return warningAt(
      'lottie_differs',
      video.captionOrigins?.values().next().value?.[0],
      message,
      'Give the captions a style, so that they are drawn above the template',
    );
  }
  const message = `From ${fromSeconds.toFixed(1)} s, the clip ${name} does not go on in the Lottie document as it does in the rendered video`;
  const hint = 'In Lottie, a clip stands still where its scene is held, and is played faster or slower with it';
  return warningAt('lottie_differs', valueSpan(video, name, located), message, hint);
}
