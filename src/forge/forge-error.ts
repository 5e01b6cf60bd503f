import { ReelformError } from '../diagnostic.ts';

type ForgeCode = 'forge_unreachable' | 'forge_refused' | 'forge_limited' | 'forge_answer_invalid';

/** What GitHub or GitLab did not do. Neither it nor what it is made of knows the token. */
export class ForgeError extends ReelformError {
  /** Of the answer; null where none came. */
  readonly status: number | null;
  /** What GraphQL calls the kinds of its errors; none where it was not asked. */
  readonly types: readonly string[];
  /** Whether it may have been done nonetheless: look before it is asked for again. */
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
 * Makes something once: where it is not clear whether it was made, it is looked for before it is made again.
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
