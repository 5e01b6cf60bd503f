import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { serviceError } from '../../../../contract/service-error.ts';
import { OUTPUT_FILE_TYPES } from '../../../../contract/wire/output.ts';
import type { AppPorts, ServedFile } from '../app-ports.ts';
import { type ByteRange, isNoneMatch, readByteRange } from '../conditional-requests.ts';
import { identifierSchema, objectOf, type Schema } from '../schemas/json-schema.ts';
import { bytes, empty, problems } from '../schemas/responses.ts';

const FILE: Schema = {
  type: 'string',
  pattern: '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$',
  description: 'Name of the file',
  examples: ['video.mp4'],
};
const params = objectOf({ output: identifierSchema('Unguessable name of the output', 'k3Vb9Qz71xTn0LwY'), file: FILE });
const downloadParams = objectOf({ render_session_id: identifierSchema('Id of the session', 'rs_81f2c0'), file: FILE });
const text = (description: string): Schema => ({ type: 'string', description });
const fileHeaders = {
  ETag: text('Strong ETag of the content'),
  'Accept-Ranges': text('`bytes`'),
  'Content-Disposition': text('Suggested file name'),
};
const TYPES = [...Object.values(OUTPUT_FILE_TYPES).map((file) => file.contentType), 'image/jpeg'];
const answers = {
  200: bytes('The file', TYPES, fileHeaders),
  206: bytes('A range of the file', TYPES, { ...fileHeaders, 'Content-Range': text('The returned range') }),
  304: empty('Not modified', { ETag: fileHeaders.ETag }),
  ...problems('not_found', 'range_not_satisfiable'),
};
const requestHeaders = objectOf(
  {
    range: text('A single byte range. Requests for several ranges return the whole file'),
    'if-range': text('ETag of the file that the range refers to'),
    'if-none-match': text('ETag of an earlier response'),
  },
  ['range', 'if-range', 'if-none-match'],
);

interface ByName {
  Params: { output: string; file: string };
}

interface BySession {
  Params: { render_session_id: string; file: string };
  Querystring: { expires: number; signature: string };
}

/** Serves `/outputs` and `/downloads`: finished files, authorized by their URL. */
export function outputRoutes(app: FastifyInstance, { outputs, now }: AppPorts): void {
  const about = { tags: ['Finished files'], security: [], params, headers: requestHeaders, response: answers };
  for (const method of ['GET', 'HEAD'] as const) {
    // The OpenAPI plugin omits HEAD routes by default.
    const shared = { method, exposeHeadRoute: false, config: { swagger: { exposeHeadRoute: true } } };
    app.route<ByName>({
      ...shared,
      url: '/outputs/:output/:file',
      schema: {
        ...about,
        operationId: 'getOutput',
        summary: method === 'GET' ? 'Get a finished file' : 'Get the headers of a finished file',
        description: 'Target of `video_url` and `thumbnails`. No token is needed, because the URL cannot be guessed.',
      },
      async handler(request, reply) {
        const { output, file } = request.params;
        const found = await outputs.find({ outputName: output }, file);
        if (found === null) throw serviceError('not_found', 'The file does not exist or was removed');
        reply.header('cache-control', 'public, max-age=31536000, immutable');
        reply.header('content-disposition', 'inline');
        return sendFile(found, request, reply);
      },
    });
    app.route<BySession>({
      ...shared,
      url: '/downloads/:render_session_id/:file',
      schema: {
        ...about,
        params: downloadParams,
        operationId: 'download',
        summary: method === 'GET' ? 'Download a finished file' : 'Get the headers of a download',
        description: 'Target of `download_url`. Returns the file as an attachment until the link expires.',
        querystring: {
          ...objectOf({
            expires: {
              type: 'integer',
              minimum: 0,
              maximum: 99_999_999_999,
              description: 'Expiry time, in seconds since 1970',
            },
            signature: {
              type: 'string',
              pattern: '^[A-Za-z0-9_-]{1,128}$',
              description: 'Signature created by the service',
            },
          }),
          additionalProperties: false,
        },
      },
      async handler(request, reply) {
        const { render_session_id: sessionId, file } = request.params;
        const expiresAt = request.query.expires * 1000;
        const isSigned = outputs.verifyDownload(sessionId, expiresAt, request.query.signature);
        const found = isSigned && now() < expiresAt ? await outputs.find({ sessionId }, file) : null;
        if (found === null) throw serviceError('not_found', 'The link is invalid or expired');
        reply.header('cache-control', 'private, no-cache');
        reply.header('content-disposition', attachment(found.fileName));
        return sendFile(found, request, reply);
      },
    });
  }
}

/** @see RFC 9110, sections 13 and 14 */
function sendFile(file: ServedFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const etag = `"${file.etag}"`;
  reply.headers({
    etag,
    'accept-ranges': 'bytes',
    'content-security-policy':
      "sandbox; default-src 'none'; media-src 'self'; img-src 'self'; style-src 'unsafe-inline'",
    // Other sites may embed the video: its URL is meant to be shared.
    'cross-origin-resource-policy': 'cross-origin',
  });
  if (isNoneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
  const range = rangeOf(request, file.size, etag);
  if (range === 'unsatisfiable') {
    reply.headers({ 'cache-control': 'no-store', 'content-range': `bytes */${file.size}` });
    reply.removeHeader('content-disposition');
    throw serviceError('range_not_satisfiable');
  }
  reply.type(file.contentType);
  if (range !== null) reply.code(206).header('content-range', `bytes ${range.start}-${range.end - 1}/${file.size}`);
  reply.header('content-length', String(range === null ? file.size : range.end - range.start));
  if (request.method === 'HEAD') return reply.send();
  return reply.send(range === null ? file.stream() : file.stream(range));
}

function rangeOf(request: FastifyRequest, size: number, etag: string): ByteRange | 'unsatisfiable' | null {
  const { range, 'if-range': condition } = request.headers;
  if (request.method !== 'GET' || (condition !== undefined && condition !== etag)) return null;
  return readByteRange(range, size);
}

/** @see RFC 6266, section 4.3; RFC 8187 */
function attachment(fileName: string): string {
  const ascii = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(fileName.toWellFormed()).replaceAll(
    /['()*!]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
