import type { Sha256 } from '../../digest.ts';
import type { Queryable } from './database.ts';

/**
 * Until the end of the transaction: who is going to refer to a scene's files holds it shared, who removes them alone. The
 * digest's first 60 bits name it; two scenes that share them only wait for each other.
 */
export async function lockScene(tx: Queryable, scene: Sha256, how: 'shared' | 'exclusive'): Promise<void> {
  const name = BigInt(`0x${scene.slice(0, 15)}`).toString();
  await tx.query(`select pg_advisory_xact_lock${how === 'shared' ? '_shared' : ''}($1::bigint)`, [name]);
}
