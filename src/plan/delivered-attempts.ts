import type { Attempt } from '../lock/journal.ts';
import type { Delivery, Fingerprint } from '../lock/lock.ts';
import type { DesiredVideo } from './desired-video.ts';
import type { AdoptionSource } from './plan.ts';

type Wanted = Pick<DesiredVideo, 'fingerprint' | 'service' | 'deliver'>;

/** What earlier runs delivered, as the journal has it: told of no lockfile yet, or of one that nobody will see. */
export class DeliveredAttempts {
  readonly #deliveries: ReadonlyMap<string, readonly Delivery[]>;
  readonly #gone = new Map<Fingerprint, Attempt[]>();

  /**
   * @param deliveries by session
   * @param gone attempts whose files are not here any more, in the order in which they were begun
   */
  constructor(deliveries: ReadonlyMap<string, readonly Delivery[]>, gone: readonly Attempt[]) {
    this.#deliveries = deliveries;
    for (const attempt of gone) {
      const alike = this.#gone.get(attempt.intent.fingerprint);
      if (alike === undefined) this.#gone.set(attempt.intent.fingerprint, [attempt]);
      else alike.push(attempt);
    }
  }

  /** Where a session's video is already, of the places where it is wanted. */
  placesOf(session: string, { deliver, service }: Wanted): Delivery[] {
    const there = this.#deliveries.get(session) ?? [];
    return deliver.flatMap(({ to }) => {
      // What was delivered into a folder by the machine that rendered may have gone with it.
      if (service === 'embedded' && to.startsWith('file:')) return [];
      return there.find((one) => one.to === to) ?? [];
    });
  }

  /** The latest rendering that is wherever the video is wanted, although not here; as for entries of the lockfile. */
  find(video: Wanted): (AdoptionSource & { readonly kind: 'journal' }) | null {
    const { fingerprint, deliver } = video;
    if (deliver.length === 0) return null;
    for (const { intent, rendering } of this.#gone.get(fingerprint)?.toReversed() ?? []) {
      if (rendering === null) continue;
      const deliveries = this.placesOf(rendering.session, video);
      if (deliveries.length < deliver.length) continue;
      return { kind: 'journal', id: intent.id, session: rendering.session, rendering, deliveries };
    }
    return null;
  }
}
