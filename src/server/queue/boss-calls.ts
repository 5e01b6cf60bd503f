import type { Db } from 'pg-boss';
import type { Queryable } from '../store/database.ts';

/** Lets pg-boss work in a transaction of ours. */
export function through(tx: Queryable): Db {
  return { executeSql: async (text, values) => ({ rows: await tx.query(text, values) }) };
}

/** Jobs that a command was about and that were as it wanted them; pg-boss's types leave that out. */
export function affected(response: object): number | undefined {
  return (response as { affected?: number }).affected;
}

/** What a log may know an error by: its message could quote a value. */
export function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code ?? (error instanceof Error ? error.name : undefined);
}
