import { isDeepStrictEqual } from 'node:util';
import type { StyleVersion } from '../../contract/wire/style-version.ts';
import { backoffMs } from '../../kernel/backoff.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import type { PushedStyleVersion } from './read-answer.ts';

/** The template calls of a service. */
export interface StyleVersionPusher {
  /** Returns null if the service has no style version with this id. */
  findStyleVersion(id: string): Promise<PushedStyleVersion | null>;
  /** @throws ReelformError `service_lacks_uploads` */
  uploadStyleVersion(zip: Uint8Array): Promise<PushedStyleVersion>;
}

/** A template package to upload. */
export interface StyleVersionUpload {
  /** Name in reelform.yaml. */
  readonly name: string;
  readonly spec: StyleVersion;
  zip(): Uint8Array;
}

/** Polls before giving up on the processing of a template. */
const MAX_POLLS = 300;

/**
 * Ensures that a service has a template ready for use: uploads it if it is missing or has other labels or limits, and
 * waits until it is processed.
 *
 * @param wait milliseconds
 * @returns whether it was uploaded
 * @throws ReelformError `template_invalid` if the service cannot use it, `service_lacks_uploads`
 */
export async function pushStyleVersion(
  service: StyleVersionPusher,
  { name, spec, zip }: StyleVersionUpload,
  wait: (milliseconds: number) => Promise<void>,
): Promise<{ readonly uploaded: boolean }> {
  const { id } = spec;
  const found = await service.findStyleVersion(id);
  const isSame = found !== null && isDeepStrictEqual(found.editables, JSON.parse(JSON.stringify(spec.editables)));
  let state = isSame ? found : await service.uploadStyleVersion(zip());
  if (state.id !== id) {
    throw new ReelformError(
      'template_invalid',
      `The service created ${state.id} from the template ${name} instead of ${id}`,
      {
        hint: 'Client and service are of versions that read templates differently: update the older one',
      },
    );
  }
  for (let polls = 0; state.status === 'processing'; polls += 1) {
    if (polls === MAX_POLLS) {
      const message = `The service is still processing the template ${name} (${id})`;
      throw new ReelformError('service_unreachable', message, { hint: 'Run the command again later' });
    }
    await wait(backoffMs(polls, { firstMs: 100, maxMs: 1000 }));
    state = (await service.findStyleVersion(id)) ?? state;
  }
  if (state.status === 'failed') {
    const reasons = state.errors.map(({ detail }) => detail).join('; ');
    const message = `The service cannot use the template ${name} (${id})${reasons === '' ? '' : `: ${reasons}`}`;
    throw new ReelformError('template_invalid', message);
  }
  return { uploaded: !isSame };
}
