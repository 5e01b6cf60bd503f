import { type Sha256, sha256 } from '../../digest.ts';
import { SceneError } from '../../engine/scene-error.ts';
import { SessionFailure, type Source, type SourceKind } from '../ports.ts';
import { TaskKilled, type TaskRunner } from '../processes/tasks.ts';
import type { SourceDescription } from './describe-source.ts';

/** Reads the structure of a file: `describeSource`, here or in another process. */
export type InspectSource = (
  bytes: Uint8Array,
  kind: SourceKind | 'any',
  by: { readonly owner: string; readonly signal?: AbortSignal | undefined },
) => Promise<SourceDescription>;

export interface CheckSourceOptions {
  readonly inspect: InspectSource;
  /** The tenant whose file it is. */
  readonly owner: string;
  readonly signal?: AbortSignal | undefined;
  /** Of the bytes, where it is known already. */
  readonly digest?: Sha256 | undefined;
}

const TITLES = {
  asset_too_large: 'Asset is too large',
  asset_type_unsupported: 'Asset is nothing that can be used here',
  asset_decode_failed: 'Asset is damaged',
} as const;

/** Why a file could not be read, as the end of a sentence about it. */
export const KILLED_BY: Readonly<Record<TaskKilled['reason'], string>> = {
  time: 'takes too long to read',
  memory: 'takes too much memory to read',
  crash: 'crashes the program that reads it',
};

/** Inspects sources in sandboxed processes. */
export function inspectIn(processes: TaskRunner<'source'>): InspectSource {
  return async (bytes, kind, { owner, signal }) => {
    try {
      return await processes.run('source', { kind }, { bytes, owner, ...(signal && { signal }) });
    } catch (error) {
      if (!(error instanceof TaskKilled)) throw error;
      throw new SceneError('asset_too_large', `The file ${KILLED_BY[error.reason]}; convert it`, { cause: error });
    }
  };
}

/**
 * Checks a file's structure before any decoder sees its bytes. Its type goes by its content, never by its name or by what a
 * server says.
 *
 * @param kind `any` for a file whose purpose is not known
 * @throws SessionFailure `asset_too_large`, `asset_type_unsupported`, `asset_decode_failed`
 */
export async function checkSource(
  bytes: Uint8Array,
  kind: SourceKind | 'any',
  { inspect, owner, signal, digest }: CheckSourceOptions,
): Promise<Source> {
  try {
    const description = await inspect(bytes, kind, { owner, signal });
    return { bytes, sha256: digest ?? sha256(bytes), ...description };
  } catch (error) {
    if (!(error instanceof SceneError) || !(error.code in TITLES)) throw error;
    const code = error.code as keyof typeof TITLES;
    throw new SessionFailure({ code, title: TITLES[code], detail: error.message }, error);
  }
}
