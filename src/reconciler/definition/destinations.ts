import { furtherOutputs } from '../../contract/video-spec.ts';
import { type NamedOutput, OUTPUT_FILE_TYPES, type OutputRequest } from '../../contract/wire/output.ts';
import { type Diagnostic, errorAt, type Span, warningAt } from '../../kernel/diagnostic.ts';
import { safeFileName } from '../../kernel/safe-file-name.ts';
import { child, locateIn, type MapNode, type TreeNode, textOf } from '../../kernel/yaml/tree.ts';
import type { Video, VideoDestination, WrittenDestination } from './video.ts';

/** A problem with a destination. */
export interface DestinationProblem {
  readonly part: 'to' | 'credential';
  /** A sentence without its full stop. */
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Delivery settings of reelform.yaml. */
export interface DeliverContext {
  /** Destinations of videos whose definition has no `deliver`. */
  readonly all: readonly VideoDestination[];
  /**
   * Returns a problem with a destination, as written or with its placeholders filled.
   *
   * @param placeholders names that may occur in it; none if it is filled
   */
  problemOf(destination: VideoDestination, placeholders: readonly string[]): DestinationProblem | null;
  /** Returns whether the client can write to a destination, as for captions: it has the credential. */
  isWritable(destination: VideoDestination): boolean;
}

/** A destination of one video, as written and filled, with its source location. */
export interface PlacedDestination extends WrittenDestination {
  /** For each file of the video, with a fingerprint of zeros. */
  readonly filled: readonly string[];
  readonly at: Span;
}

/**
 * Reads and checks the destinations of a video. Its own `deliver` replaces that of reelform.yaml; an empty list disables
 * delivery. Expects a root that the schema has accepted.
 *
 * @param root of the definition, merged and filled in
 * @param video its other properties
 */
export function readDeliver(
  root: MapNode,
  video: Named,
  context: DeliverContext,
): { destinations: PlacedDestination[]; diagnostics: Diagnostic[] } {
  const deliver = child(root, 'deliver');
  const written =
    deliver === null
      ? allDestinations(root, context)
      : (deliver.kind === 'list' ? deliver.items : [deliver]).map(readDestination);
  const placeholders = placeholdersOf(
    video.labels,
    DIMENSION_PLACEHOLDERS.filter((name) => video.matrix?.[name] !== undefined),
  );
  const destinations: PlacedDestination[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const { to, credential, at, credentialAt } of written) {
    const formats = context.isWritable({ to, credential }) ? (video.captionFiles ?? []) : [];
    const filled = fillDestinations({ to, credential, formats }, video, '0'.repeat(64)).map((filling) => filling.to);
    const problem =
      (deliver === null ? missingLabel(to, video) : null) ??
      context.problemOf({ to, credential }, placeholders) ??
      filled.map((url) => context.problemOf({ to: url, credential }, [])).find((found) => found !== null) ??
      repeatedDestination(filled, destinations);
    if (problem === null) {
      destinations.push({ to, credential, ...(formats.length > 0 && { formats }), filled, at });
      if (formats.length < (video.captionFiles ?? []).length) diagnostics.push(undelivered({ to, credential }, at));
    } else
      diagnostics.push(diagnostic(problem, problem.part === 'to' ? at : credentialAt, deliver === null ? to : null));
  }
  const tooMany = tooManyDestinations(written.length * Math.max(1, video.outputs?.length ?? 1));
  if (tooMany !== null) diagnostics.push(diagnostic(tooMany, written.at(-1)!.at, null));
  return { destinations, diagnostics };
}

function repeatedDestination(
  filled: readonly string[],
  earlier: readonly PlacedDestination[],
): DestinationProblem | null {
  if (new Set(filled).size < filled.length) return OUTPUTS_ALIKE;
  return earlier.some((destination) => destination.filled.some((to) => filled.includes(to))) ? DESTINATION_TWICE : null;
}

/** Reports a placeholder of reelform.yaml whose label, locale or variant the video lacks. */
function missingLabel(to: string, { labels, matrix }: Pick<Video, 'labels' | 'matrix'>): DestinationProblem | null {
  const dimension = DIMENSION_PLACEHOLDERS.find((name) => to.includes(`{${name}}`) && matrix?.[name] === undefined);
  if (dimension !== undefined) return { part: 'to', message: `The video has no ${dimension}` };
  const missing = [...to.matchAll(/\{label\.([^{}]*)\}/g)]
    .map(([, name = '']) => name)
    .find((name) => !(name in labels));
  return missing === undefined ? null : { part: 'to', message: `The video has no label ${JSON.stringify(missing)}` };
}

/** Problem of the second of two equal destinations. */
export const DESTINATION_TWICE: DestinationProblem = {
  part: 'to',
  message: 'The video has this destination twice',
  hint: 'Remove one of them',
};

const OUTPUTS_ALIKE: DestinationProblem = {
  part: 'to',
  message: 'Several outputs of the video have this destination',
  hint: 'Add {output}, the name of the output, such as s3://bucket/{id}.{output}.{extension}',
};

/** Limit of the service interface. */
const MAX_DESTINATIONS = 8;

/** Returns a problem if a video has too many destinations. */
export function tooManyDestinations(count: number): DestinationProblem | null {
  if (count <= MAX_DESTINATIONS) return null;
  return { part: 'to', message: `A video can have at most ${MAX_DESTINATIONS} destinations, not ${count}` };
}

interface LocatedDestination extends VideoDestination {
  readonly at: Span;
  readonly credentialAt: Span;
}

/** Returns the destinations of reelform.yaml, located at the `template` of the definition if it is written there. */
function allDestinations(root: MapNode, { all }: DeliverContext): LocatedDestination[] {
  const template = locateIn(root)(['template'], 'value').span;
  const at = template.file === root.span.file ? template : locateIn(root)([], 'value').span;
  return all.map((destination) => ({ ...destination, at, credentialAt: at }));
}

function readDestination(node: TreeNode): LocatedDestination {
  const [to, credential] = [child(node, 'to'), child(node, 'credential')];
  const at = (to ?? node).span;
  return {
    to: textOf(to ?? node) ?? '',
    credential: textOf(credential),
    at,
    credentialAt: credential?.span ?? at,
  };
}

function undelivered({ to, credential }: VideoDestination, at: Span): Diagnostic {
  const which =
    credential === null ? 'no credential' : `the credential ${credential}, which reelform.yaml does not have`;
  const message = `deliver: Captions beside the video are not sent to ${to}: it has ${which}`;
  const hint = 'Reelform writes them itself: add the credential to "credentials" of reelform.yaml, and name it';
  return warningAt('captions_undelivered', at, message, hint);
}

/** @param ofAll the destination in reelform.yaml; null if it is in the definition */
function diagnostic({ message, hint }: DestinationProblem, at: Span, ofAll: string | null): Diagnostic {
  const elsewhere = `reelform.yaml sets ${ofAll} for all videos without their own "deliver": add the missing label, or add "deliver" to this video`;
  return errorAt('definition_invalid', at, `deliver: ${message}`, ofAll === null ? hint : elsewhere);
}

/** Placeholders of every definition, in addition to `label.<name>` for each label. */
const PLACEHOLDERS = ['id', 'fingerprint', 'title', 'extension', 'output'];

/** Placeholders of videos that have a locale and a variant. */
export const DIMENSION_PLACEHOLDERS = ['locale', 'variant'] as const;

const FINGERPRINT_DIGITS = 8;

type Named = Pick<Video, 'id' | 'title' | 'labels' | 'output' | 'outputs' | 'matrix' | 'captionFiles'>;

/** Returns the placeholders of a video with these labels and dimensions, without braces. */
export function placeholdersOf(labels: Readonly<Record<string, string>>, dimensions: readonly string[]): string[] {
  return [...PLACEHOLDERS, ...dimensions, ...Object.keys(labels).map((name) => `label.${name}`)];
}

/**
 * Returns the complete destination of each file of a video, the main one first, so that a plan shows the exact URL and a service
 * has nothing to add. Appends `{id}.{extension}` to a folder or bucket, `{id}.{output}.{extension}` for files beside the
 * main one. Captions are beside the main file, with another ending. Titles and labels are converted to file names, without slashes
 * and braces.
 *
 * @param fingerprint with its version prefix
 */
export function fillDestinations(
  { to, credential, formats = [] }: WrittenDestination,
  video: Named,
  fingerprint: string,
): VideoDestination[] {
  const main = { name: MAIN_OUTPUT, ...video.output, ...video.outputs?.[0] };
  const ofMain = fillDestination(withFileName(to), main, video, fingerprint);
  return [
    { to: ofMain, credential },
    ...formats.map((captions) => ({ to: `${withoutEnding(ofMain, main)}.${captions}`, credential, captions })),
    ...furtherOutputs(video).map((further) => {
      const path = withFileName(to, '{id}.{output}.{extension}');
      return { to: fillDestination(path, further, video, fingerprint), credential, output: further.name };
    }),
  ];
}

function withoutEnding(to: string, { format = 'mp4' }: OutputRequest): string {
  const ending = `.${OUTPUT_FILE_TYPES[format].extension}`;
  return to.endsWith(ending) ? to.slice(0, -ending.length) : to;
}

/** Value of `{output}` for a video with `output` or neither. */
const MAIN_OUTPUT = 'video';

function fillDestination(
  to: string,
  { name: outputName, format = 'mp4' }: NamedOutput,
  video: Named,
  fingerprint: string,
): string {
  const values = new Map([
    ['id', video.id],
    ['fingerprint', fingerprintDigits(fingerprint)],
    ['title', nameOf(video.title)],
    ['extension', OUTPUT_FILE_TYPES[format].extension],
    ['output', outputName],
    ...DIMENSION_PLACEHOLDERS.flatMap((name) => {
      const value = video.matrix?.[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
    ...Object.entries(video.labels).map(([name, value]) => [`label.${name}`, nameOf(value)] as const),
  ]);
  return to.replaceAll(/\{([^{}]*)\}/g, (placeholder, name: string) => values.get(name) ?? placeholder);
}

/** Returns the value of `{fingerprint}`: the first digits of a fingerprint, without its version prefix. */
export function fingerprintDigits(fingerprint: string): string {
  return fingerprint.replace(/^v\d+:/, '').slice(0, FINGERPRINT_DIGITS);
}

function nameOf(text: string): string {
  return safeFileName(text.replaceAll(/[{}]/g, ' '));
}

/** Normalizes a destination, and appends a file name to a folder or bucket. */
export function withFileName(written: string, file = '{id}.{extension}'): string {
  // Equivalent spellings of a path must compare equal.
  const to = written.replace(/^file:\/\/(?=\/(?!\/))/, 'file:').replace(/^file:(?:\.\/)+/, 'file:');
  if (/^(?:s3|gs|wasbs):\/\/[^/]+$|^azblob:\/\/[^/]+\/[^/]+$/.test(to)) return `${to}/${file}`;
  return to.endsWith('/') || to === 'file:' ? `${to}${file}` : to;
}
