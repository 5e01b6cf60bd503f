/** What a server says of a URL when it is not asked for the bytes. */
export type UrlLook =
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
export type LookAtUrl = (url: string, signal: AbortSignal) => Promise<UrlLook>;
