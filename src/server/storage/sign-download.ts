import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a signature is for. */
export interface Download {
  readonly sessionId: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * The signature of a download: HMAC-SHA256 in base64url, 43 characters. Nobody who lacks the key can make one for another
 * session or another time. That it has not expired is for whoever verifies to see.
 *
 * @param key 32 or more random bytes
 * @see RFC 2104
 */
export function signDownload(key: Uint8Array, download: Download): string {
  return mac(key, download).toString('base64url');
}

/** Whether a signature was made with this key for this download. Takes the same time whatever differs. */
export function verifyDownload(key: Uint8Array, download: Download, signature: string): boolean {
  if (!Number.isSafeInteger(download.expiresAt) || !/^[\w-]{43}$/.test(signature)) return false;
  const given = Buffer.from(signature, 'base64url');
  const own = mac(key, download);
  // The last character has bits to spare: only one way to write it counts.
  return given.length === own.length && timingSafeEqual(given, own) && given.toString('base64url') === signature;
}

function mac(key: Uint8Array, { sessionId, expiresAt }: Download): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify(['reelform download', sessionId, expiresAt]))
    .digest();
}
