import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ServiceError, serviceError } from '../../service/service-error.ts';
import { PROBLEM_TYPE, problemDetails } from './problem-response.ts';

/** Answers what is no HTTP request, or arrives too slowly to become one, and ends the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = clientProblem(error.code);
  const body = JSON.stringify(problemDetails(problem, { path: '/', id: requestId }));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `Content-Type: ${PROBLEM_TYPE}; charset=utf-8`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function clientProblem(code: string | undefined): ServiceError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return serviceError('request_timeout');
    case 'HPE_HEADER_OVERFLOW':
      return serviceError('headers_too_large');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return serviceError('body_too_large', 'The chunk extensions of the body are too large');
    default:
      return serviceError('bad_request', 'This is not an HTTP request');
  }
}
