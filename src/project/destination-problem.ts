import type { DeliverContext, DestinationProblem } from '../definition/read-deliver.ts';
import type { VideoDestination } from '../definition/video.ts';
import { mayBeAllowed, targetProblem } from '../delivery/allow.ts';
import { parseTarget } from '../delivery/target.ts';
import { closestMatch } from '../hints.ts';
import type { DeliveriesConfig, DeliveringService } from './deliveries-config.ts';

/** What a configuration says of the deliveries of definitions. */
export function deliverContext(config: DeliveriesConfig & { readonly service: DeliveringService }): DeliverContext {
  return {
    all: config.deliver,
    problemOf: (destination, placeholders) => destinationProblem(destination, placeholders, config),
  };
}

/** What a service would put in, and what therefore no plan could name. */
const UNSTABLE: Readonly<Record<string, string>> = {
  session_id: 'each rendering',
  date: 'each day',
};

/**
 * What is wrong with a destination, as far as reelform.yaml tells. The credentials of a service behind a URL are its own:
 * of them nothing is known here. Nothing is opened, and no secret is looked at.
 *
 * @param placeholders those that may stand in it; none: it is filled
 */
export function destinationProblem(
  { to, credential }: VideoDestination,
  placeholders: readonly string[],
  { service, credentials }: Pick<DeliveriesConfig, 'credentials'> & { readonly service: DeliveringService },
): DestinationProblem | null {
  const unstable = placeholders.length === 0 ? undefined : /\{(session_id|date)\}/.exec(to)?.[1];
  if (unstable !== undefined) {
    const message = `{${unstable}} would be another place for ${UNSTABLE[unstable]}, and a plan could not say which`;
    return { part: 'to', message, hint: 'Use {fingerprint}: it is another one for each content' };
  }
  const parsed = parseTarget(to, placeholders);
  if (!parsed.ok) return { part: 'to', ...messageOf(parsed.problem) };
  if (service !== 'embedded') {
    if (service.capabilities.externalUploads !== false) return null;
    const hint = 'Take "deliver" out, or "external_uploads: false" of its capabilities in reelform.yaml';
    return { part: 'to', message: 'The service delivers no finished videos', hint };
  }
  if (credential === null) {
    const { kind } = parsed.target;
    if (kind === 's3' || kind === 'file') return null;
    const hint = `Describe one in reelform.yaml, under "credentials", and write {to: ${to}, credential: NAME}`;
    return { part: 'to', message: `${kind}: needs a credential of the kind ${kind}`, hint };
  }
  const known = credentials.get(credential);
  if (known === undefined) {
    const meant = closestMatch(credential, [...credentials.keys()]);
    const hint =
      meant === null ? `Describe it in reelform.yaml: credentials: {${credential}: …}` : `Did you mean ${meant}?`;
    return { part: 'credential', message: `There is no credential ${JSON.stringify(credential)}`, hint };
  }
  // What a placeholder stands for may decide whether it is allowed.
  if (placeholders.length > 0 && mayBeAllowed(parsed.target, known)) return null;
  const problem = targetProblem(parsed.target, known);
  return problem === null ? null : { part: 'to', ...messageOf(problem) };
}

function messageOf({
  message,
  hint,
}: {
  message: string;
  hint?: string;
}): Pick<DestinationProblem, 'message' | 'hint'> {
  return { message, hint };
}
