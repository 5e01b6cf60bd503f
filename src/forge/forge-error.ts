import { ReelformError } from '../diagnostic.ts';

type ForgeCode = 'forge_unreachable' | 'forge_refused' | 'forge_limited' | 'forge_answer_invalid';

/** Failure of a request to GitHub or GitLab. Neither the error nor its properties contain the token. */
export class ForgeError extends ReelformError {
  /** Status of the answer; null when there was none. */
  readonly status: number | null;
  /** Error types of GraphQL; empty for REST. */
  readonly types: readonly string[];
  /** True if the request may have succeeded: check before repeating it. */
  readonly isUnclear: boolean;

  constructor(
    code: ForgeCode,
    message: string,
    options: {
      readonly status?: number | null;
      readonly types?: readonly string[];
      readonly isUnclear?: boolean;
      readonly hint?: string;
    } = {},
  ) {
    super(code, message, options.hint === undefined ? {} : { hint: options.hint });
    this.status = options.status ?? null;
    this.types = options.types ?? [];
    this.isUnclear = options.isUnclear ?? false;
  }
}

/**
 * Creates something once: if the result of a request is unclear, looks for the object before creating it again.
 *
 * @throws ForgeError
 */
export async function createOnce<T>(create: () => Promise<T>, find: () => Promise<T | undefined>): Promise<T> {
  try {
    return await create();
  } catch (error) {
    if (!(error instanceof ForgeError) || !error.isUnclear) throw error;
    return (await find()) ?? (await create());
  }
}
