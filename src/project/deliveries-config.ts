import type { VideoDestination } from '../definition/video.ts';
import type { Credential } from '../delivery/credential.ts';

/** What reelform.yaml says of deliveries. */
export interface DeliveriesConfig {
  /** By name; without their secrets. */
  readonly credentials: ReadonlyMap<string, Credential>;
  /** Where finished files go whose definition says nothing of it. */
  readonly deliver: readonly VideoDestination[];
  /** Where local files are put for a service that takes none; null: nowhere. */
  readonly assets: AssetsConfig | null;
}

export interface AssetsConfig {
  /** With a slash at its end; files are named after their digests below it. */
  readonly publish: string;
  /** Under which everybody finds what is below `publish`, with a slash at its end. */
  readonly publicUrl: string;
  readonly credential: string | null;
}

/** As much of the service as decides where it delivers to. */
export type DeliveringService = 'embedded' | { readonly capabilities: { readonly externalUploads?: boolean } };
