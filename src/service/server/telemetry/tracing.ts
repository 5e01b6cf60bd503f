import { type Attributes, context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** Tracing with OpenTelemetry. Does nothing unless an SDK is loaded with `node --import`. */
const TRACER = 'reelform';

/** Runs work in a child of the active span and marks the span when it throws. */
export function traced<T>(name: string, attributes: Attributes, work: (span: Span) => Promise<T>): Promise<T> {
  return trace.getTracer(TRACER).startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      if (error instanceof Error) span.setAttribute('error.type', error.name);
      throw error;
    } finally {
      span.end();
    }
  });
}

/**
 * Starts the span of a request, as a child of the span in its `traceparent`.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function startRequestSpan(request: {
  readonly method: string;
  readonly route: string | undefined;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
}) {
  const parent = propagation.extract(context.active(), request.headers);
  const name = request.route === undefined ? request.method : `${request.method} ${request.route}`;
  const attributes: Attributes = {
    'http.request.method': request.method,
    'url.path': request.path,
    'url.scheme': 'http',
  };
  if (request.route !== undefined) attributes['http.route'] = request.route;
  const span = trace.getTracer(TRACER).startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
  return {
    /** Runs a callback in the request's span. */
    run: (next: () => void): void => context.with(trace.setSpan(parent, span), next),
    /** @param status null when the client disconnected before a response */
    end(status: number | null): void {
      if (status !== null) span.setAttribute('http.response.status_code', status);
      if (status === null || status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      if (status !== null && status >= 500) span.setAttribute('error.type', String(status));
      span.end();
    },
  };
}
