import { readFile, realpath, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, posix, sep } from 'node:path';
import { nullIfMissing } from '../kernel/file-system-error.ts';
import { parseRecord } from '../kernel/json.ts';
import { safeFileName } from '../kernel/safe-file-name.ts';
import { globBase } from '../reconciler/definition/video.ts';
import { isOutputPath } from '../reconciler/lock/lock.ts';
import { requireFetched } from '../reconciler/project/find-pointers.ts';
import { planHtml } from '../report/html/plan-html.ts';
import { diagnosticsJson } from '../report/json/diagnostics-json.ts';
import { planSummary } from './cards.ts';
import type {
  CueRequest,
  DuplicateRequest,
  EditRequest,
  NewVideoRequest,
  RowEditRequest,
  SceneListRequest,
  SpeakRequest,
  UploadAnswer,
} from './edit-protocol.ts';
import {
  duplicateVideo,
  type EditContext,
  editCuesOf,
  editRowsOf,
  editScenes,
  editTranslation,
  editVideo,
  newVideo,
  speakTrack,
  undoEdit,
} from './edits.ts';
import type { TranslationRequest } from './language-protocol.ts';
import { languageTable } from './languages.ts';
import type { PreviewContext } from './preview-context.ts';
import { RequestError } from './request-error.ts';
import { rowTable } from './row-table.ts';
import { sendBytes, sendFile } from './send-file.ts';
import { STILL_TYPES, type StillRequest } from './stills.ts';
import { lintMarks, templateDetail, videoDetail } from './video-detail.ts';

export interface RouteRequest {
  readonly context: PreviewContext;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** Decoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  /** Returns the JSON of the answer, or undefined if the answer was sent. */
  handle(request: RouteRequest): unknown;
}

const MAX_JSON_BYTES = 8 << 20;
/** The content that an address names never changes. */
const IMMUTABLE = 'private, max-age=31536000, immutable';
/** The report is a page of its own, with its style and script inside. */
const REPORT_POLICY =
  "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; media-src data:";

/** See `protocol.ts`. */
export const ROUTES: readonly Route[] = [
  get('state', ({ context }) => context.live.state),
  get('events', ({ context, response }) => context.events.connect(response, 'state', context.live.state)),
  get('video', ({ context, url }) => videoDetail(parameter(url, 'id'), context)),
  get('lint', ({ context, url }) => lintMarks(parameter(url, 'id'), context)),
  get('still/(?<fingerprint>[^/]+)/(?<frame>\\d{1,6})\\.(?<type>png|jpeg)', sendStill),
  get('draft/(?<fingerprint>[^/]+)/(?<segment>\\d{1,5})\\.mp4', sendDraftSegment),
  get('draft/(?<fingerprint>[^/]+)', ({ context, parameters }) => openDraft(context, parameters).state),
  get('sounds/(?<fingerprint>[^/]+)', ({ context: { live, meter }, parameters: { fingerprint = '' } }) =>
    meter.sounds(live.subject(fingerprint)),
  ),
  get('mix/(?<fingerprint>[^/]+)', ({ context: { live, meter }, parameters: { fingerprint = '' } }) =>
    meter.mix(live.subject(fingerprint)),
  ),
  get('finished', sendFinished),
  get('file', sendUsedFile),
  get('template', ({ context, url }) => templateDetail(parameter(url, 'name'), context.live)),
  get('template-check', async ({ context: { live, ports }, url }) => {
    const { folder } = templateDetail(parameter(url, 'name'), live).card;
    return folder === null ? [] : ports.checkTemplate(folder);
  }),
  get('rows', ({ context, url }) => rowTable(parameter(url, 'path'), context.live.loaded)),
  get('languages', ({ context, url }) =>
    languageTable(parameter(url, 'definition'), url.searchParams.get('row') ?? '', context),
  ),
  get('plan', async ({ context: { live, ports } }) => {
    const { loaded } = live;
    const document = await ports.countedPlan(loaded);
    return planSummary({ ...loaded, document }) ?? refusePlan(loaded);
  }),
  get('plan\\.html', async ({ context: { live, ports }, response }) => {
    const document = await ports.countedPlan(live.loaded);
    if (document === null) return refusePlan(live.loaded);
    const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
    response.writeHead(200, { ...headers, 'content-security-policy': REPORT_POLICY });
    return void response.end(planHtml(document, { preview: null }));
  }),
  post('edit', (body: EditRequest, context) => editVideo(body, context)),
  post('scenes', (body: SceneListRequest, context) => editScenes(body, context)),
  post('cues', (body: CueRequest, context) => editCuesOf(body, context)),
  post('speak', (body: SpeakRequest, context) => speakTrack(body, context)),
  post('translation', (body: TranslationRequest, context) => editTranslation(body, context)),
  post('rows', (body: RowEditRequest, context) => editRowsOf(body, context)),
  post('new', (body: NewVideoRequest, context) => newVideo(body, context)),
  post('duplicate', (body: DuplicateRequest, context) => duplicateVideo(body, context)),
  post('undo', ({ undo }: { undo: string }, context) => undoEdit(undo, context)),
  {
    method: 'POST',
    path: /^\/api\/upload$/,
    handle: ({ context, request, url }) => storeUpload(parameter(url, 'name'), request, context),
  },
  post('open', openInEditor),
  post('apply', ({ plan }: { plan: string }, { run }) => run.start(String(plan))),
  post('cancel', (_, { run }) => run.cancel()),
];

/** @param path pattern below `/api/` */
function get(path: string, handle: Route['handle']): Route {
  return { method: 'GET', path: new RegExp(`^/api/${path}$`), handle };
}

/** Declares a request with JSON. The forms of the bodies are those of `protocol.ts`. */
function post<Body>(path: string, handle: (body: Body, context: PreviewContext) => unknown): Route {
  return {
    method: 'POST',
    path: new RegExp(`^/api/${path}$`),
    async handle({ context, request }) {
      if (request.headers['content-type']?.split(';')[0]?.trim() !== 'application/json') {
        throw new RequestError('invalid_request', 'The content type is application/json');
      }
      return handle((await readJson(request)) as Body, context);
    },
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const value = parseRecord((await readBody(request, MAX_JSON_BYTES)).toString('utf8'));
  if (value === null) throw new RequestError('invalid_request', 'The body is a JSON object');
  return value;
}

/** @throws RequestError `invalid_request` if it is missing */
function parameter(url: URL, name: string): string {
  const value = url.searchParams.get(name);
  if (value === null) throw new RequestError('invalid_request', `The parameter ${name} is missing`);
  return value;
}

function refusePlan({ diagnostics, project }: PreviewContext['live']['loaded']): never {
  const problems = diagnosticsJson(diagnostics, project.source).filter(({ severity }) => severity === 'error');
  throw new RequestError('conflict', 'There is no plan while the repository has errors', { problems });
}

async function sendStill({ context, response, parameters, url }: RouteRequest): Promise<void> {
  const { fingerprint = '', frame, type } = parameters;
  const subject = context.live.subject(fingerprint);
  const width = url.searchParams.get('width');
  if (width !== null && !/^[1-9]\d{0,3}$/.test(width)) {
    throw new RequestError('invalid_request', 'width is a number of pixels');
  }
  const wanted: StillRequest = {
    frame: Number(frame),
    type: type as StillRequest['type'],
    width: width === null ? null : Number(width),
  };
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  const bytes = await context.stills.draw(subject, wanted, closed.signal);
  response.writeHead(200, {
    'content-type': STILL_TYPES[wanted.type],
    'content-length': bytes.length,
    'cache-control': IMMUTABLE,
  });
  response.end(bytes);
}

function openDraft({ live, drafts }: PreviewContext, { fingerprint = '' }: RouteRequest['parameters']) {
  return drafts.open(live.subject(fingerprint));
}

async function sendDraftSegment({ context, request, response, parameters }: RouteRequest): Promise<void> {
  const { bytes, type } = await openDraft(context, parameters).segment(Number(parameters.segment));
  response.setHeader('cache-control', IMMUTABLE);
  sendBytes(request, response, bytes, { type, tag: `"${parameters.fingerprint}-${parameters.segment}"` });
}

async function sendFinished({ context, request, response, url }: RouteRequest): Promise<void> {
  const { ports, live } = context;
  const path = live.loaded.lock?.videos.get(parameter(url, 'id'))?.video_url ?? '';
  if (!isOutputPath(path)) throw new RequestError('not_found', 'There is no finished file of this video here');
  requireFetched(ports.root, path);
  await sendFile(request, response, join(ports.root, path));
}

/** Sends files that videos use, and no others of the repository. */
async function sendUsedFile({ context: { live, ports }, request, response, url }: RouteRequest): Promise<void> {
  const path = parameter(url, 'path');
  const { assets, templates } = live.loaded.project;
  const isOfTemplate = [...templates.values()].some(({ paths }) => paths.includes(path));
  if (!assets.has(path) && !isOfTemplate) throw new RequestError('not_found', 'No video uses this file');
  requireFetched(ports.root, path);
  await sendFile(request, response, await insideRoot(path, ports.root));
}

async function openInEditor(
  { path, line, column }: { path: string; line: number; column: number },
  { ports, live }: PreviewContext,
): Promise<object> {
  const { project } = live.loaded;
  const known = new Set(
    [...project.origins.values(), ...[...project.templates.values()].map(({ paths }) => paths)].flat(),
  );
  if (!known.has(path) && path !== 'reelform.yaml')
    throw new RequestError('not_found', 'No video is made from this file');
  const isPosition = Number.isInteger(line) && Number.isInteger(column) && line > 0 && column > 0;
  await ports.openEditor(await insideRoot(path, ports.root), isPosition ? { line, column } : { line: 1, column: 1 });
  return {};
}

/** @throws RequestError `not_found` for a missing file, and for a link out of the repository */
async function insideRoot(path: string, root: string): Promise<string> {
  const absolute = await realpath(join(root, path)).catch(() => null);
  const inside = `${await realpath(root)}${sep}`;
  if (absolute?.startsWith(inside) === true && (await stat(absolute)).isFile()) return absolute;
  throw new RequestError('not_found', `There is no file ${JSON.stringify(path)}`);
}

const MAX_UPLOAD_BYTES = 200 << 20;

const SOUND_EXTENSIONS = ['mp3', 'wav', 'm4a', 'aac', 'flac', 'ogg', 'aif', 'aiff', 'aifc', 'caf', 'ac3', 'wma'];

/** Folder below that of the definitions, by extension. */
const FOLDERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['png', 'jpg', 'jpeg', 'webp', 'gif', 'avif'].map((extension) => [extension, 'images'])),
  ...Object.fromEntries(['mp4', 'mov', 'webm'].map((extension) => [extension, 'clips'])),
  ...Object.fromEntries(SOUND_EXTENSIONS.map((extension) => [extension, 'sounds'])),
};

/**
 * Stores a file in the folder for its kind. A file that is there already is used again; another file of the name stays.
 *
 * @throws RequestError `invalid_request`
 */
async function storeUpload(name: string, request: IncomingMessage, context: EditContext): Promise<UploadAnswer> {
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
async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new RequestError('invalid_request', `The request has more than ${maxBytes >> 20} MB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
