import { userInfo } from 'node:os';
import packageJson from '../../package.json' with { type: 'json' };
import { RENDER_EPOCH } from '../engine/render-result.ts';

/** The options that every command has. */
export interface GlobalOptions {
  readonly directory?: string;
  readonly color: boolean;
}

declare const REELFORM_BUILD: string | undefined;

/** Names what the program was built from; null where it runs from its sources. */
export const BUILD = typeof REELFORM_BUILD === 'undefined' ? null : REELFORM_BUILD;

export const VERSION = packageJson.version;

/** Names this program and its user, who may be unable to read what others can: caches of any other are not used. */
export function cacheKey(): string {
  return JSON.stringify([VERSION, BUILD, RENDER_EPOCH, user()]);
}

function user(): number | string {
  try {
    return userInfo().uid;
  } catch {
    return 'unnamed';
  }
}
