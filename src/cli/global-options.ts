import packageJson from '../../package.json' with { type: 'json' };

/** The options that every command has. */
export interface GlobalOptions {
  readonly directory?: string;
  readonly color: boolean;
}

declare const REELFORM_BUILD: string | undefined;

/** Names what the program was built from; null where it runs from its sources. */
export const BUILD = typeof REELFORM_BUILD === 'undefined' ? null : REELFORM_BUILD;

export const VERSION = packageJson.version;
