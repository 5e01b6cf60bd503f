/** Query parameters of signatures, keys and expiry times. */
const SIGNATURES =
  /^(?:x-(?:amz|goog|oss|cos|ms)-(?:signature|credential|security-token|expires|date)|signature|sig|se|expires|exp|expiry|policy|key-pair-id|awsaccesskeyid|googleaccessid|hdnea|hdnts|hmac|verify|jwt|auth|token|access_token|auth_token)$/i;

/**
 * Reports whether the query of a URL grants access: anyone who has the URL has the video, and it may expire. False for
 * invalid URLs.
 */
export function isSignedUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  return [...new URL(url).searchParams.keys()].some((name) => SIGNATURES.test(name));
}

/** Returns whether a location is an http(s) URL, not a path. */
export function isHttpUrl(location: string): boolean {
  return /^https?:/i.test(location);
}

/** Removes the query and fragment of every URL in a text, which may contain signatures and keys. */
export function stripQueries(text: string): string {
  return text.replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, '$1?…');
}

/** Result of probing a URL without downloading it. */
export type UrlProbe =
  /**
   * `validator` distinguishes versions of the file: the ETag (begins with `"` or `W/`), else Last-Modified; null if
   * neither is sent. `bytes` is the file size; absent if not reported.
   */
  | { readonly kind: 'there'; readonly validator: string | null; readonly bytes?: number }
  /** The server answered 404 or 410. */
  | { readonly kind: 'gone'; readonly status: number }
  /** Undetermined. `why` contains no URL. */
  | { readonly kind: 'unclear'; readonly why: string };

/** Probes an http(s) URL. Rejects only with the signal's reason: server errors are results. */
export type ProbeUrl = (url: string, signal: AbortSignal) => Promise<UrlProbe>;
