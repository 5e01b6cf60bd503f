import packageJson from '../../package.json' with { type: 'json' };

/** The options that every command has. */
export interface GlobalOptions {
  readonly directory?: string;
  readonly color: boolean;
}

export const VERSION = packageJson.version;
