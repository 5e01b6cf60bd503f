import { isDeepStrictEqual } from 'node:util';
import { backoffMs } from '../backoff.ts';
import { ReelformError } from '../diagnostic.ts';
import type { StyleVersion } from '../wire/style-version.ts';
import type { PushedStyleVersion } from './read-answer.ts';

/** The part of a service that takes templates. */
export interface StyleVersionPusher {
  /** Null when the service has none with this id. */
  findStyleVersion(id: string): Promise<PushedStyleVersion | null>;
  /**
   * @param zip of a template package
   * @throws ReelformError `service_lacks_uploads`
   */
  uploadStyleVersion(zip: Uint8Array): Promise<PushedStyleVersion>;
}

/** A template package as it is pushed. */
export interface StyleVersionUpload {
  /** In reelform.yaml. */
  readonly name: string;
  readonly spec: StyleVersion;
  zip(): Uint8Array;
}

/** How long a service may look at a template. */
const MAX_LOOKS = 300;

/**
 * Sees to it that a service has a template, and that sessions can use it: uploads it when it is not there, or is there
 * with other labels or limits, and waits until it has been looked at.
 *
 * @param wait milliseconds
 * @returns whether it had to be uploaded
 * @throws ReelformError `template_invalid` when the service cannot use it, `service_lacks_uploads`
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
    throw new ReelformError('template_invalid', `The service made ${state.id} of the template ${name}, not ${id}`, {
      hint: 'Client and service are of versions that read templates differently: update the older one',
    });
  }
  for (let looks = 0; state.status === 'processing'; looks += 1) {
    if (looks === MAX_LOOKS) {
      const message = `The service is still looking at the template ${name} (${id})`;
      throw new ReelformError('service_unreachable', message, { hint: 'Run it again later' });
    }
    await wait(backoffMs(looks, { firstMs: 100, maxMs: 1000 }));
    state = (await service.findStyleVersion(id)) ?? state;
  }
  if (state.status === 'failed') {
    const reasons = state.errors.map(({ detail }) => detail).join('; ');
    const message = `The service cannot use the template ${name} (${id})${reasons === '' ? '' : `: ${reasons}`}`;
    throw new ReelformError('template_invalid', message);
  }
  return { uploaded: !isSame };
}
