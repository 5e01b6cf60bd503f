import type { Diagnostic, Span } from '../diagnostic.ts';
import { safeFileName } from '../safe-file-name.ts';
import { OUTPUT_EXTENSIONS, type OutputFormat } from '../wire/output.ts';
import { child, locateIn, type MapNode, type TreeNode, textOf } from '../yaml/tree.ts';
import type { Video, VideoDestination } from './video.ts';

/** What is wrong with a destination. */
export interface DestinationProblem {
  /** Which part of it is meant. */
  readonly part: 'to' | 'credential';
  /** A sentence without its full stop. */
  readonly message: string;
  readonly hint?: string | undefined;
}

/** What reelform.yaml says of deliveries. */
export interface DeliverContext {
  /** Where every video goes whose definition says nothing of it. */
  readonly all: readonly VideoDestination[];
  /**
   * What is wrong with a destination as it is written, or, where it has no placeholders, as it was filled.
   *
   * @param placeholders those that may stand in it
   */
  problemOf(destination: VideoDestination, placeholders: readonly string[]): DestinationProblem | null;
}

/** A destination of one video, with its placeholders, whole, and where it was written. */
export interface PlacedDestination extends VideoDestination {
  /** As if its fingerprint were nothing but zeros. */
  readonly filled: string;
  readonly at: Span;
}

/**
 * The destinations of a video and what is wrong with them. Its own take the place of those of reelform.yaml; an empty list
 * means nowhere. Wrong forms were refused by the schema.
 *
 * @param root of the definition, merged and filled in
 * @param video everything else of it
 */
export function readDeliver(
  root: MapNode,
  video: Pick<Video, 'id' | 'title' | 'labels' | 'output'>,
  context: DeliverContext,
): { destinations: PlacedDestination[]; diagnostics: Diagnostic[] } {
  const own = child(root, 'deliver');
  const written = own === null ? allDestinations(root, context) : nodesOf(own).map(readDestination);
  const placeholders = placeholdersOf(video.labels);
  const destinations: PlacedDestination[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const { to, credential, at, credentialAt } of written) {
    const filled = fillDestination(to, video, '0'.repeat(64));
    const twice = destinations.some((one) => one.filled === filled);
    const problem =
      (own === null ? missingLabel(to, video) : null) ??
      context.problemOf({ to, credential }, placeholders) ??
      context.problemOf({ to: filled, credential }, []) ??
      (twice ? DESTINATION_TWICE : null);
    if (problem === null) destinations.push({ to, credential, filled, at });
    else diagnostics.push(diagnostic(problem, problem.part === 'to' ? at : credentialAt, own === null ? to : null));
  }
  const tooMany = tooManyDestinations(written.length);
  if (tooMany !== null) diagnostics.push(diagnostic(tooMany, written.at(-1)!.at, null));
  return { destinations, diagnostics };
}

/** What reelform.yaml says is right for the videos that have the label. */
function missingLabel(to: string, { labels }: Pick<Video, 'labels'>): DestinationProblem | null {
  const missing = [...to.matchAll(/\{label\.([^{}]*)\}/g)]
    .map(([, name = '']) => name)
    .find((name) => !(name in labels));
  return missing === undefined ? null : { part: 'to', message: `The video has no label ${JSON.stringify(missing)}` };
}

/** What is wrong with the second of two places that are one. */
export const DESTINATION_TWICE: DestinationProblem = {
  part: 'to',
  message: 'The video would go there twice',
  hint: 'Leave one of the two out',
};

/** Services take no more at once. */
const MOST_DESTINATIONS = 8;

/** What is wrong with so many places for a video; null where nothing is. */
export function tooManyDestinations(count: number): DestinationProblem | null {
  if (count <= MOST_DESTINATIONS) return null;
  return { part: 'to', message: `A video goes to ${MOST_DESTINATIONS} places at most, not to ${count}` };
}

interface WrittenDestination extends VideoDestination {
  readonly at: Span;
  readonly credentialAt: Span;
}

/** Those of reelform.yaml, located at the definition: at its template where it says one itself. */
function allDestinations(root: MapNode, { all }: DeliverContext): WrittenDestination[] {
  const template = locateIn(root)(['template'], 'value').span;
  const at = template.file === root.span.file ? template : locateIn(root)([], 'value').span;
  return all.map((one) => ({ ...one, at, credentialAt: at }));
}

function readDestination(node: TreeNode): WrittenDestination {
  const [to, credential] = [child(node, 'to'), child(node, 'credential')];
  const at = (to ?? node).span;
  return {
    to: textOf(to ?? node) ?? '',
    credential: textOf(credential),
    at,
    credentialAt: credential?.span ?? at,
  };
}

/** One destination, or each of a list. */
function nodesOf(node: TreeNode): readonly TreeNode[] {
  return node.kind === 'list' ? node.items : [node];
}

/** @param ofAll the destination as reelform.yaml has it, where it is not the definition's own */
function diagnostic({ message, hint }: DestinationProblem, at: Span, ofAll: string | null): Diagnostic {
  const elsewhere = `reelform.yaml says ${ofAll} of every video that says nothing else: give this one what it lacks, or a "deliver" of its own`;
  return {
    code: 'definition_invalid',
    severity: 'error',
    message: `deliver: ${message}`,
    hint: ofAll === null ? hint : elsewhere,
    at,
  };
}

/** Placeholders of every definition; beside them there is `label.<name>` for each label of the video. */
const PLACEHOLDERS = ['id', 'fingerprint', 'title', 'extension'];

const FINGERPRINT_DIGITS = 8;

type Named = Pick<Video, 'id' | 'title' | 'labels' | 'output'>;

/** Every placeholder that a video with these labels has, without braces. */
export function placeholdersOf(labels: Readonly<Record<string, string>>): string[] {
  return [...PLACEHOLDERS, ...Object.keys(labels).map((name) => `label.${name}`)];
}

/**
 * The destination of one video, whole: its placeholders filled, all of them here, so that a plan names the place and a
 * service has nothing to add. What ends with a slash, or names a bucket alone, gets `{id}.{extension}`. A title and a
 * label become the name of a file: no slash and no brace of theirs is left.
 *
 * @param fingerprint with the version of its scheme
 */
export function fillDestination(to: string, video: Named, fingerprint: string): string {
  const format: OutputFormat = video.output?.format ?? 'mp4';
  const values = new Map([
    ['id', video.id],
    ['fingerprint', fingerprintDigits(fingerprint)],
    ['title', nameOf(video.title)],
    ['extension', OUTPUT_EXTENSIONS[format]],
    ...Object.entries(video.labels).map(([name, value]) => [`label.${name}`, nameOf(value)] as const),
  ]);
  return withFileName(to).replaceAll(/\{([^{}]*)\}/g, (placeholder, name: string) => values.get(name) ?? placeholder);
}

/** The first digits of a fingerprint, without the version of its scheme: the value of the placeholder. */
export function fingerprintDigits(fingerprint: string): string {
  return fingerprint.replace(/^v\d+:/, '').slice(0, FINGERPRINT_DIGITS);
}

function nameOf(text: string): string {
  return safeFileName(text.replaceAll(/[{}]/g, ' '));
}

/** A destination in one form: one that names a folder or a bucket alone with the name that a file gets there. */
export function withFileName(written: string): string {
  const file = '{id}.{extension}';
  // Two ways to write one path are one place.
  const to = written.replace(/^file:\/\/(?=\/(?!\/))/, 'file:').replace(/^file:(?:\.\/)+/, 'file:');
  if (/^(?:s3|gs|wasbs):\/\/[^/]+$|^azblob:\/\/[^/]+\/[^/]+$/.test(to)) return `${to}/${file}`;
  return to.endsWith('/') || to === 'file:' ? `${to}${file}` : to;
}
