import type { DestinationChange } from '../plan/plan.ts';
import type { ExternalUploadRequest } from '../wire/external-upload.ts';

/** What a session asks a service to deliver. */
export function uploadRequests(destinations: readonly DestinationChange[]): ExternalUploadRequest[] {
  return destinations
    .filter(({ kind }) => kind === 'deliver')
    .map(({ to, credential }) => ({ to, ...(credential === null ? {} : { credential }) }));
}
