import { type Attributes, context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/**
 * Spans of OpenTelemetry, for whoever loads an SDK beside the service (`node --import`). Without one all of this does
 * nothing.
 */
const TRACER = 'reelform';

/** Runs work in a span of its own below the one that is active; what it throws marks the span. */
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

export interface RequestSpan {
  /** Runs what follows in the request's span. */
  run(next: () => void): void;
  /** @param status null where the client went away before there was one */
  end(status: number | null): void;
}

/**
 * The span of one request, below the one that its `traceparent` names.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function startRequestSpan(request: {
  readonly method: string;
  readonly route: string | undefined;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
}): RequestSpan {
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
    run: (next) => context.with(trace.setSpan(parent, span), next),
    end(status) {
      if (status !== null) span.setAttribute('http.response.status_code', status);
      if (status === null || status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      if (status !== null && status >= 500) span.setAttribute('error.type', String(status));
      span.end();
    },
  };
}
