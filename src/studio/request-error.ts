import { defined } from '../kernel/defined.ts';
import { ReelformError } from '../kernel/diagnostic.ts';
import { fileSystemError } from '../kernel/file-system-error.ts';
import { SessionFailure } from '../service/sessions/ports.ts';
import type { PreviewError, PreviewProblem } from './problem-protocol.ts';

const STATUS = {
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  gone: 404,
  invalid_request: 400,
  conflict: 409,
} as const;

/** A request that the server refuses, besides the errors with codes of Reelform. */
export class RequestError extends Error {
  readonly code: keyof typeof STATUS;
  readonly hint: string | undefined;
  readonly problems: readonly PreviewProblem[] | undefined;

  constructor(
    code: keyof typeof STATUS,
    message: string,
    { hint, problems }: { readonly hint?: string; readonly problems?: readonly PreviewProblem[] } = {},
  ) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.problems = problems;
  }
}

/** The answer to a request that failed. */
interface ErrorAnswer {
  readonly status: number;
  readonly body: PreviewError;
}

/** Converts an error that a request threw. Unexpected errors have status 500. */
export function errorAnswer(thrown: unknown): ErrorAnswer {
  if (thrown instanceof RequestError) {
    const { code, message, hint = null, problems } = thrown;
    return { status: STATUS[code], body: { code, message, hint, ...defined({ problems }) } };
  }
  return { status: fileSystemError(thrown) === null && isExpected(thrown) ? 422 : 500, body: previewError(thrown) };
}

/** Describes an error for the page. */
export function previewError(thrown: unknown): PreviewError {
  const error = fileSystemError(thrown) ?? (thrown instanceof AggregateError ? thrown.errors[0] : thrown);
  if (error instanceof SessionFailure) {
    const { code, title, detail = title, editable } = error.error;
    return videoError({ code, message: detail, editable });
  }
  if (error instanceof ReelformError) return { code: error.code, message: error.message, hint: error.hint ?? null };
  const { code, message, detail } = error as { code?: unknown; message?: string; detail?: string };
  const isCoded = typeof code === 'string';
  return {
    code: isCoded ? code : 'internal',
    message: isCoded ? (detail ?? message ?? code) : `Internal error: ${message ?? String(error)}`,
    hint: isCoded ? null : 'Please report it',
  };
}

interface VideoProblem {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly editable?: string | undefined;
  /** Repository file that filled the editable. */
  readonly source?: string | undefined;
}

/** Describes why a video cannot be drawn or rendered, with the editable that causes it. */
export function videoError({ code, message, hint = '', editable, source }: VideoProblem): PreviewError {
  const from = source === undefined ? '' : ` (${source})`;
  return {
    code,
    message: editable === undefined ? message : `${editable}${from}: ${message}`,
    hint: hint === '' ? null : hint,
  };
}

function isExpected(thrown: unknown): boolean {
  const error = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  return error instanceof SessionFailure || typeof (error as { code?: unknown } | null)?.code === 'string';
}
