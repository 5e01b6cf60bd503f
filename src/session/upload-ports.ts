import type { DeliveredFile } from '../delivery/destination.ts';
import type { Json, Sha256 } from '../digest.ts';
import type { ExternalUpload } from '../wire/external-upload.ts';
import type { StoredSession } from './ports.ts';

/** One planned try at one upload of a session. */
export interface UploadJob {
  readonly session: string;
  /** In `external_uploads`. */
  readonly position: number;
  /** Raised by every plan: of a job that another has followed there is nothing to do. */
  readonly round: number;
}

/** An upload that a worker has taken up. */
export interface BegunUpload {
  readonly stored: StoredSession;
  readonly position: number;
  readonly upload: ExternalUpload;
  /** Each who takes it up writes under a number of their own. */
  readonly attempt: number;
  /** How many tries failed since it was asked for. */
  readonly tries: number;
  /** From where it goes on; null: from the beginning. */
  readonly state: Json | null;
}

/**
 * Keeps what becomes of uploads, in the sessions that they belong to. Whoever writes does it under the number of their
 * attempt: where that is not the latest any more, or the session is gone, nothing is written and the answer is false.
 */
export interface UploadStore {
  /** A worker takes an upload up: it is `uploading`. Null when it has ended, is gone, or is planned anew. */
  beginUpload(job: UploadJob): Promise<BegunUpload | null>;
  /** What the next attempt goes on from. */
  keepUploadState(begun: BegunUpload, state: Json): Promise<boolean>;
  /** Plans a further try, the state as it is: `pending` until then. */
  retryUpload(begun: BegunUpload, delayMs: number): Promise<boolean>;
  endUpload(begun: BegunUpload, end: UploadEnd): Promise<boolean>;
}

/** What an upload came to. */
export type UploadEnd = Pick<ExternalUpload, 'remote_id' | 'url' | 'error'> & {
  readonly status: 'complete' | 'failed';
};

/** Finished videos, to be read from anywhere in them. */
export interface FinishedFiles {
  /** Null when it is not there (any more). */
  openVideo(video: FinishedFile): Promise<DeliveredFile | null>;
}

export interface FinishedFile {
  /** That it was rendered from; null where that is not known. */
  readonly scene: Sha256 | null;
  /** As its session has it. */
  readonly video_url: string;
}
