/** The first 8 digits of what begins with a whole `sha256:…`; null for anything else. */
export function shortDigest(input: string): string | null {
  return /^sha256:([0-9a-f]{8})[0-9a-f]{56}(?: |$)/.exec(input)?.[1] ?? null;
}
