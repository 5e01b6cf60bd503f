import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join, posix } from 'node:path';
import { globBase } from '../definition/video.ts';
import { nullIfMissing } from '../file-system-error.ts';
import { safeFileName } from '../safe-file-name.ts';
import type { EditContext } from './edits.ts';
import type { UploadAnswer } from './protocol.ts';
import { RequestError } from './request-error.ts';

const MAX_UPLOAD_BYTES = 200 << 20;

/** Folder below that of the definitions, by extension. */
const FOLDERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['png', 'jpg', 'jpeg', 'webp', 'gif', 'avif'].map((extension) => [extension, 'images'])),
  ...Object.fromEntries(['mp4', 'mov', 'webm'].map((extension) => [extension, 'clips'])),
  ...Object.fromEntries(['mp3', 'wav', 'm4a', 'aac', 'ogg'].map((extension) => [extension, 'sounds'])),
};

/**
 * Stores a file in the folder for its kind. A file that is there already is used again; another file of the name stays.
 *
 * @throws RequestError `invalid_request`
 */
export async function storeUpload(name: string, request: IncomingMessage, context: EditContext): Promise<UploadAnswer> {
  const extension = posix.extname(name).slice(1).toLowerCase();
  const kind = FOLDERS[extension];
  if (kind === undefined) {
    const hint = `Use one of ${Object.keys(FOLDERS).join(', ')}`;
    throw new RequestError('invalid_request', `${JSON.stringify(name)} is not an image, a clip or a sound`, { hint });
  }
  const bytes = await readBody(request, MAX_UPLOAD_BYTES);
  if (bytes.length === 0) throw new RequestError('invalid_request', 'The file is empty');
  const stem = safeFileName(posix.basename(name, posix.extname(name))) || 'file';
  const folder = posix.join(globBase(context.live.loaded.project.config.videos), kind);
  let stored = '';
  const { undo } = await context.log.write(async () => {
    for (let count = 1; ; count++) {
      stored = posix.join(folder, `${stem}${count === 1 ? '' : `-${count}`}.${extension}`);
      const present = await nullIfMissing(readFile(join(context.root, stored)));
      if (present === null) return [{ path: stored, content: bytes }];
      if (present.equals(bytes)) return [];
    }
  });
  return { path: stored, undo };
}

/** Reads the body of a request. @throws RequestError `invalid_request` if it is too large */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new RequestError('invalid_request', `The request has more than ${maxBytes >> 20} MB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
