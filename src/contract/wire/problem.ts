/** A problem of a request, as listed in problem details. */
export interface RequestProblem {
  readonly code: string;
  /** JSON pointer into the request, as a URI fragment. */
  readonly pointer: string;
  readonly detail: string;
  /** Id of the scene that it is about, in a request with `scenes`. */
  readonly scene?: string;
}

/** The body of every error. @see RFC 9457 */
export interface ProblemDetails {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: string;
  request_id: string;
  errors: RequestProblem[];
}
