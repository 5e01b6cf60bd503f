import type { MissingCode } from '../../reconciler/lock/journal.ts';

const MISSING: Readonly<Record<MissingCode, (session: string) => string>> = {
  session_gone: (session) => `the service no longer has its session ${session}`,
  session_without_video: (session) => `the service names no video of its session ${session}`,
  session_differs: (session) => `the service answers with another content for its session ${session}`,
};

/** Returns why the session of a render has no usable video, without a subject before it: "the service no longer …". */
export function missingWords(code: MissingCode | undefined, session: string): string {
  return MISSING[code ?? 'session_gone'](session);
}

/**
 * Returns why the result of a render is unknown, to follow "requested at …, but".
 *
 * @param code of the failure
 */
export function unknownWords(code: string, session: string | null): string {
  if (session !== null) return missingWords(Object.hasOwn(MISSING, code) ? (code as MissingCode) : undefined, session);
  return code === 'session_differs' ? 'the service answered with another session' : 'there was no clear response';
}
