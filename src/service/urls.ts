/** Parameters that carry a right with them, and most of them an end of it. */
const SIGNATURES =
  /^(?:x-(?:amz|goog|oss|cos|ms)-(?:signature|credential|security-token|expires|date)|signature|sig|se|expires|exp|expiry|policy|key-pair-id|awsaccesskeyid|googleaccessid|hdnea|hdnts|hmac|verify|jwt|auth|token|access_token|auth_token)$/i;

/**
 * Whether a URL grants by its query what it leads to: who has it has the video, and it may lead nowhere tomorrow. False for
 * what is no URL.
 */
export function isSignedUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  return [...new URL(url).searchParams.keys()].some((name) => SIGNATURES.test(name));
}

/** The text with the query and fragment of every URL in it taken out: that is where signatures and keys stand. */
export function stripQueries(text: string): string {
  return text.replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, '$1?…');
}

/** What a server says of a URL when it is not asked for the bytes. */
export type UrlProbe =
  /**
   * `validator`: tells one version of the bytes from another: the ETag, a text that begins with `"` or `W/`, else the
   * time of Last-Modified; null when the server gives neither. `bytes`: the size of the file; absent when the server does
   * not report it.
   */
  | { readonly kind: 'there'; readonly validator: string | null; readonly bytes?: number }
  /** The server says that there is nothing, now and for good: 404 or 410. */
  | { readonly kind: 'gone'; readonly status: number }
  /** It cannot be told. `why` holds no URL. */
  | { readonly kind: 'unclear'; readonly why: string };

/** Looks at an http(s) URL. Rejects with the signal's reason alone: whatever a server does is an answer. */
export type ProbeUrl = (url: string, signal: AbortSignal) => Promise<UrlProbe>;
