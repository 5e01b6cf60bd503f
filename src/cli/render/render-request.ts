import { relative, resolve, sep } from 'node:path';
import type { VideoMeasures } from '../../contract/video-measures.ts';
import { OUTPUT_FILE_TYPES, type OutputFormat, type OutputRequest } from '../../contract/wire/output.ts';
import { defined } from '../../kernel/defined.ts';
import { type Diagnostic, ReelformError } from '../../kernel/diagnostic.ts';
import { didYouMean } from '../../kernel/hints.ts';
import type { Video } from '../../reconciler/definition/video.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import { CONFIG_FILE } from '../../reconciler/project/repository-layout.ts';
import { leftOutHint } from '../../report/wording/left-out-words.ts';
import { checkOutput, resolveOutput } from '../../template/bind/resolve-output.ts';

/** Options for the rendered file. */
export interface RenderFlags {
  /** Number of a frame, or a time in seconds with an `s`. */
  readonly frame?: string;
  readonly draft?: boolean;
  readonly format?: OutputFormat | 'lottie';
  readonly height?: number;
  readonly fps?: number;
  readonly out?: string;
}

/** Options for a file that is drawn. */
export interface FileFlags extends RenderFlags {
  readonly format?: OutputFormat;
}

/** Number of ids that a hint names. */
const NAMED = 6;

/**
 * Finds a video by its id, or by the path of its definition if that defines one video.
 *
 * @param cwd that a path is relative to
 * @returns null if its definition has errors: see `mistakesOf`
 * @throws ReelformError `unknown_video`
 */
export function findVideo(wanted: string, project: Project, cwd: string): Video | null {
  const path = pathOf(wanted, project, cwd);
  const found = project.videos.find(({ id }) => id === wanted);
  if (found !== undefined) return found;
  const rows = project.videos.filter((video) => video.path === path);
  if (rows.length === 1) return rows[0]!;
  if (rows.length > 1)
    throw unknown(`${wanted} creates ${rows.length} videos`, `Name one of these videos: ${idsOf(rows)}`);
  const others = [...project.leftOut, ...project.waiting];
  const condition = leftOutHint(others.find((video) => video.id === wanted || video.path === path));
  if (condition !== null) throw unknown(`There is no video ${JSON.stringify(wanted)}`, condition);
  if (project.origins.has(path) || mistakesOf(wanted, project, cwd).length > 0) return null;
  const names = [...project.videos.map(({ id }) => id), ...project.videos.map((video) => video.path)];
  const hint = didYouMean(wanted, names) ?? 'Name a definition by its path, or a video by its id';
  throw unknown(`There is no video ${JSON.stringify(wanted)}`, hint);
}

/** Returns the errors that prevent rendering a video: of the configuration, of templates, and of its own definition. */
export function mistakesOf(wanted: string | Video, project: Project, cwd: string): Diagnostic[] {
  const { diagnostics, origins } = project;
  const path = typeof wanted === 'string' ? pathOf(wanted, project, cwd) : wanted.path;
  const files = new Set([CONFIG_FILE, path, ...(origins.get(path) ?? [])]);
  return diagnostics.filter(({ severity, at }) => severity === 'error' && (at === undefined || files.has(at.file)));
}

/**
 * Returns the output of the definition, overridden by the options.
 *
 * @throws ReelformError `options_conflict`, `definition_invalid`
 */
export function outputOf(
  flags: FileFlags,
  definedOutput: OutputRequest | null,
  measures: VideoMeasures,
): OutputRequest {
  const { height = definedOutput?.height ?? measures.height } = flags;
  const format = formatOf(flags);
  // The codec belongs to the format of the definition.
  const { codec, ...rest } = definedOutput ?? {};
  const keepsCodec = codec !== undefined && (format.format === undefined || format.format === (rest.format ?? 'mp4'));
  const output: OutputRequest = {
    ...rest,
    ...(keepsCodec && { codec }),
    ...(flags.draft === true && { quality: 'low', height: 2 * Math.max(1, Math.round(height / 4)) }),
    ...defined({ height: flags.height, fps: flags.fps }),
    ...format,
  };
  const [problem] = checkOutput(output, measures);
  if (problem === undefined) return output;
  throw new ReelformError('definition_invalid', `Invalid output: ${problem.detail}`, {
    hint: 'Check --height, --fps, --format and `output:` of the definition',
  });
}

/** @throws ReelformError `options_conflict` */
function formatOf({ frame, format, out }: FileFlags): { format?: OutputFormat } {
  const ending = out === undefined ? undefined : /\.(\w+)$/.exec(out)?.[1]?.toLowerCase();
  const [named] = Object.entries(OUTPUT_FILE_TYPES).find(([, file]) => file.extension === ending) ?? [];
  const requestedFormat = frame === undefined ? format : 'png';
  if (ending !== undefined && named === undefined) {
    const endings = Object.values(OUTPUT_FILE_TYPES).map(({ extension }) => `.${extension}`);
    throw new ReelformError('options_conflict', `--out ends with .${ending}, which is not a known format`, {
      hint: `Use one of ${[...new Set(endings)].join(', ')}`,
    });
  }
  if (frame !== undefined && format !== undefined && format !== 'png') {
    throw new ReelformError('options_conflict', `--frame creates a PNG, but --format is ${format}`, {
      hint: 'Remove one of these options',
    });
  }
  if (requestedFormat !== undefined && named !== undefined && requestedFormat !== named) {
    throw new ReelformError('options_conflict', `--out ends with .${ending}, but the format is ${requestedFormat}`, {
      hint: `Use the extension .${OUTPUT_FILE_TYPES[requestedFormat].extension}`,
    });
  }
  const known = requestedFormat ?? (named as OutputFormat | undefined);
  return known === undefined ? {} : { format: known };
}

/**
 * Returns the frame that `--frame` names.
 *
 * @param text number of a frame, counted from 0, or seconds with an `s`
 * @throws ReelformError `options_conflict` if it is invalid or after the end
 */
export function frameOf(text: string, output: OutputRequest, measures: VideoMeasures): number {
  const { fps, frameCount } = resolveOutput({ ...measures, stills: [] }, output);
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(s?)$/.exec(text) ?? [];
  const frame = digits === undefined ? Number.NaN : unit === 's' ? Math.round(Number(digits) * fps) : Number(digits);
  if (Number.isInteger(frame) && frame < frameCount) return frame;
  const last = ((frameCount - 1) / fps).toFixed(2);
  throw new ReelformError('options_conflict', `--frame ${text} is not a frame of the video`, {
    hint: `Write a number from 0 to ${frameCount - 1}, or seconds from 0s to ${last}s`,
  });
}

/** Returns the path of a definition; for the id of a definition with errors, the path of that definition. */
function pathOf(wanted: string, { root, diagnostics }: Project, cwd: string): string {
  const faulty = diagnostics.flatMap(({ severity, at }) => (severity === 'error' && at !== undefined ? [at.file] : []));
  const named = faulty.find((file) => file.endsWith(`/${wanted}.yaml`) || file.endsWith(`/${wanted}.yml`));
  return named ?? relative(root, resolve(cwd, wanted)).split(sep).join('/');
}

function idsOf(videos: readonly Video[]): string {
  const named = videos.slice(0, NAMED).map(({ id }) => id);
  return `${named.join(', ')}${videos.length > NAMED ? `, or ${videos.length - NAMED} more` : ''}`;
}

function unknown(message: string, hint: string): ReelformError {
  return new ReelformError('unknown_video', message, { hint });
}
