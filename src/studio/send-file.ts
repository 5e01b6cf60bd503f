import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { MEDIA_CONTENT_TYPES } from '../kernel/file-kind.ts';
import { nullIfMissing } from '../kernel/file-system-error.ts';
import { RequestError } from './request-error.ts';

/** Content types by extension. Other files are sent as plain bytes. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ...MEDIA_CONTENT_TYPES,
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.zip': 'application/zip',
};

/** Half-open range of bytes. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Sends a file, or the range of it that the request asks for.
 *
 * @param path absolute
 * @throws RequestError `not_found`
 */
export async function sendFile(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
  const found = await nullIfMissing(stat(path));
  if (found?.isFile() !== true) throw new RequestError('not_found', 'There is no such file');
  const tag = `"${found.size.toString(36)}-${Math.round(found.mtimeMs * 1000).toString(36)}"`;
  const type = CONTENT_TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
  const range = begin(request, response, { size: found.size, tag, type });
  if (range === null || request.method === 'HEAD') return void response.end();
  // A client that disconnects early is not an error.
  await pipeline(createReadStream(path, { start: range.start, end: range.end - 1 }), response).catch(() => undefined);
}

/** Sends bytes, or the range of them that the request asks for. */
export function sendBytes(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Uint8Array,
  { type, tag }: { readonly type: string; readonly tag: string },
): void {
  const range = begin(request, response, { size: bytes.length, tag, type });
  response.end(range === null || request.method === 'HEAD' ? undefined : bytes.subarray(range.start, range.end));
}

/** Writes the head of the answer. Returns null if it has no body. @see RFC 9110, sections 13 and 14 */
function begin(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { size, tag, type }: { readonly size: number; readonly tag: string; readonly type: string },
): ByteRange | null {
  if (!response.hasHeader('cache-control')) response.setHeader('cache-control', 'no-cache');
  response.setHeader('etag', tag);
  if (headers['if-none-match'] === tag) {
    response.writeHead(304);
    return null;
  }
  response.setHeader('content-type', type);
  response.setHeader('accept-ranges', 'bytes');
  const isUsable = headers['if-range'] === undefined || headers['if-range'] === tag;
  const range = isUsable && headers.range !== undefined ? parseRange(headers.range, size) : 'whole';
  if (range === 'unsatisfiable') {
    response.writeHead(416, { 'content-range': `bytes */${size}` });
    return null;
  }
  const { start, end } = range === 'whole' ? { start: 0, end: size } : range;
  response.setHeader('content-length', end - start);
  if (range === 'whole') response.writeHead(200);
  else response.writeHead(206, { 'content-range': `bytes ${start}-${end - 1}/${size}` });
  return size === 0 ? null : { start, end };
}

/** Parses a `Range` header with a single range. All others are answered with the whole file. */
function parseRange(header: string, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header.trim()) ?? [];
  if (from === '' && to === '') return 'whole';
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1);
  return start < end ? { start, end } : 'unsatisfiable';
}
