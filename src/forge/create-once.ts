import { ForgeError } from './forge-error.ts';

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
