import type { Diagnostic, Span } from '../diagnostic.ts';
import { child, locateIn, type MapNode, type TreeNode, textOf } from '../yaml/tree.ts';
import { fillDestination, placeholdersOf } from './fill-destination.ts';
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
      context.problemOf({ to, credential }, placeholders) ??
      context.problemOf({ to: filled, credential }, []) ??
      (twice ? { part: 'to', message: 'The video would go there twice', hint: 'Leave one of the two out' } : null);
    if (problem === null) destinations.push({ to, credential, filled, at });
    else diagnostics.push(diagnostic(problem, problem.part === 'to' ? at : credentialAt, own !== null));
  }
  const [, ...others] = written;
  if (others.length >= MOST_DESTINATIONS) {
    const message = `A video goes to ${MOST_DESTINATIONS} places at most, not to ${written.length}`;
    diagnostics.push(diagnostic({ part: 'to', message }, others.at(-1)!.at, own !== null));
  }
  return { destinations, diagnostics };
}

/** Services take no more at once. */
const MOST_DESTINATIONS = 8;

interface WrittenDestination extends VideoDestination {
  readonly at: Span;
  readonly credentialAt: Span;
}

/** Those of reelform.yaml, told where the definition begins to be one. */
function allDestinations(root: MapNode, { all }: DeliverContext): WrittenDestination[] {
  const at = locateIn(root)(['template'], 'value').span;
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

function diagnostic({ message, hint }: DestinationProblem, at: Span, isOwn: boolean): Diagnostic {
  const ofAll = 'It is what reelform.yaml says of every video; write another "deliver" here';
  return {
    code: 'definition_invalid',
    severity: 'error',
    message: `deliver: ${message}`,
    hint: isOwn ? hint : ofAll,
    at,
  };
}
