import { readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { isRecord, parseJson } from '../../kernel/json.ts';
import { parseVideoId } from '../../reconciler/definition/video.ts';
import {
  LEFT_OUT,
  type LeftOut,
  type MatrixSheet,
  type PlanPreview,
  type PreviewImage,
  type PreviewStill,
  SCENE_CHANGES,
  type SceneChange,
  UNSEEN,
  type Unseen,
  type VideoPreview,
} from './plan-preview.ts';
import { MATRIX_FILE, PREVIEW_INDEX } from './preview-document.ts';

interface ReadPreviewOptions {
  /** Accepted URL prefixes, such as `https://github.com/owner/name/`; any other URL is dropped. */
  readonly urlsBelow?: readonly string[];
  /** Maximum total size of all files, 1 GiB by default. */
  readonly mostBytes?: number;
}

const MAX_BYTES = { index: 16 * 2 ** 20, image: 4 * 2 ** 20, draft: 64 * 2 ** 20 };
/** Default total size of all files. */
const MAX_TOTAL_BYTES = 2 ** 30;
const MAX_VIDEOS = 5_000;
const MAX_STILLS = 16;
const MAX_SHEETS = 100;
const JPEG = [0xff, 0xd8, 0xff];
const PNG = [0x89, 0x50, 0x4e, 0x47];

/**
 * Reads a preview from a folder. EDGE. The folder is untrusted, such as an artifact of a pull request: sizes are bounded,
 * files must lie within the folder (links are not followed out of it) and carry the name derived from their video; image
 * headers are checked, but images are not decoded.
 *
 * @throws ReelformError `preview_invalid`
 */
export async function readPreview(
  directory: string,
  { urlsBelow = [], mostBytes = MAX_TOTAL_BYTES }: ReadPreviewOptions = {},
): Promise<PlanPreview> {
  const folder = await openFolder(directory, mostBytes);
  const index = await folder.read(PREVIEW_INDEX, MAX_BYTES.index);
  const document = parseJson(Buffer.from(index).toString('utf8'));
  if (document === undefined) throw invalid(PREVIEW_INDEX, 'it is not JSON');
  if (!isRecord(document) || typeof document.format_version !== 'string' || !/^1\.\d+$/.test(document.format_version)) {
    throw invalid(PREVIEW_INDEX, 'this version of reelform cannot read its format');
  }
  const reader = new Reader(folder, urlsBelow);
  const videos = new Map<string, VideoPreview>();
  for (const item of list(document.videos, MAX_VIDEOS)) {
    const video = record(item);
    videos.set(idOf(video.id), await reader.video(idOf(video.id), video));
  }
  const seconds = record(document.seconds);
  return {
    videos,
    leftOut: list(document.left_out, Number.POSITIVE_INFINITY).map(leftOut),
    contactSheet: document.contact_sheet === null ? null : await reader.image(document.contact_sheet, 'contact-sheet'),
    matrices: await reader.matrices(list(document.matrices ?? [], MAX_SHEETS)),
    seconds: { all: number(seconds.all), rendering: number(seconds.rendering) },
  };
}

class Reader {
  readonly #folder: Folder;
  readonly #urlsBelow: readonly string[];

  constructor(folder: Folder, urlsBelow: readonly string[]) {
    this.#folder = folder;
    this.#urlsBelow = urlsBelow;
  }

  async video(id: string, { stills, visible, unseen, drafts }: Record<string, unknown>): Promise<VideoPreview> {
    const shown: PreviewStill[] = [];
    for (const still of list(stills, MAX_STILLS)) shown.push(await this.#still(id, record(still)));
    if (visible !== null && typeof visible !== 'boolean') throw invalid(PREVIEW_INDEX, `${id} is visible or not`);
    const video = { stills: shown, isVisible: visible, unseen: list(unseen, UNSEEN.length).map(unseenOf) };
    return drafts === null ? video : { ...video, drafts: await this.#drafts(id, record(drafts)) };
  }

  async matrices(sheets: readonly unknown[]): Promise<MatrixSheet[]> {
    const shown: MatrixSheet[] = [];
    for (const sheet of sheets) {
      const { definition, hidden, image } = record(sheet);
      const id = idOf(definition);
      const picture = image === null ? null : await this.image(image, `${id}/${MATRIX_FILE}`);
      shown.push({ definition: id, hidden: number(hidden), image: picture });
    }
    return shown;
  }

  async #still(id: string, still: Record<string, unknown>): Promise<PreviewStill> {
    const timeSeconds = number(still.time);
    const name = `${id}/${timeSeconds.toFixed(3)}`;
    return {
      timeSeconds,
      ...(still.before_time !== undefined && { beforeSeconds: number(still.before_time) }),
      ...(still.scene !== undefined && { scene: text(still.scene) }),
      ...(still.change !== undefined && { change: sceneChange(still.change) }),
      editables: list(still.editables, 1_000).map(text),
      changedShare: still.changed_share === null ? null : Math.min(1, number(still.changed_share)),
      before: still.before === null ? null : await this.image(still.before, `${name}-before`),
      after: await this.image(still.after, `${name}-after`),
    };
  }

  async image(value: unknown, name: string): Promise<PreviewImage> {
    const { file, width, height, url } = record(value);
    if (file !== `${name}.jpg` && file !== `${name}.png`) throw invalid(PREVIEW_INDEX, `${name} is in another file`);
    const bytes = await this.#folder.read(file, MAX_BYTES.image);
    const isPng = file.endsWith('.png');
    if (!(isPng ? PNG : JPEG).every((byte, index) => bytes[index] === byte))
      throw invalid(file, 'it is not an image of the expected type');
    const contentType = isPng ? 'image/png' : 'image/jpeg';
    return { bytes, contentType, width: side(width), height: side(height), url: this.#url(url) };
  }

  async #drafts(id: string, { before, after }: Record<string, unknown>): Promise<NonNullable<VideoPreview['drafts']>> {
    const read = async (file: unknown, name: string): Promise<Uint8Array> => {
      if (file !== name) throw invalid(PREVIEW_INDEX, `${name} is in another file`);
      const bytes = await this.#folder.read(name, MAX_BYTES.draft);
      if (Buffer.from(bytes.subarray(4, 8)).toString('latin1') !== 'ftyp') throw invalid(name, 'it is not an MP4');
      return bytes;
    };
    return {
      before: before === null ? null : await read(before, `${id}/draft-before.mp4`),
      after: await read(after, `${id}/draft-after.mp4`),
    };
  }

  #url(url: unknown): string | null {
    if (typeof url !== 'string' || !/^https:\/\/[!-~]{1,2000}$/.test(url)) return null;
    // Compares the normalized URL: the raw URL could contain `..` after a valid prefix.
    const parsed = URL.canParse(url) ? new URL(url).href : null;
    return parsed !== null && this.#urlsBelow.some((prefix) => parsed.startsWith(prefix)) ? parsed : null;
  }
}

interface Folder {
  read(file: string, mostBytes: number): Promise<Uint8Array>;
}

async function openFolder(directory: string, mostOfAll: number): Promise<Folder> {
  const root = await realpath(directory).catch(() => null);
  let leftBytes = mostOfAll;
  return {
    async read(file, mostBytes) {
      const path = root && (await realpath(join(root, file)).catch(() => null));
      if (path === null || !path.startsWith(`${root}${sep}`)) throw invalid(file, 'it is missing');
      // Checked before opening, because opening a pipe can block forever.
      const found = await stat(path);
      if (!found.isFile() || found.size > mostBytes) throw invalid(file, 'it is not a file, or too large');
      leftBytes -= found.size;
      if (leftBytes < 0) throw invalid(file, 'the preview is too large in total');
      return readFile(path);
    },
  };
}

function invalid(file: string, what: string): ReelformError {
  return new ReelformError('preview_invalid', `${file} of the preview cannot be used: ${what}`, {
    hint: 'Create it again: reelform plan --preview stills --preview-dir DIR',
  });
}

function record(value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw invalid(PREVIEW_INDEX, 'it is not a preview index');
}

function list(value: unknown, most: number): unknown[] {
  if (Array.isArray(value) && value.length <= most) return value;
  throw invalid(PREVIEW_INDEX, 'a list in it is missing or too long');
}

function text(value: unknown): string {
  if (typeof value === 'string' && value.length <= 1_000) return value;
  throw invalid(PREVIEW_INDEX, 'a text in it is missing or too long');
}

function number(value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= 1e6) return value;
  throw invalid(PREVIEW_INDEX, 'a number in it is missing or too large');
}

function side(value: unknown): number {
  if (Number.isInteger(value) && number(value) >= 1 && number(value) <= 8192) return number(value);
  throw invalid(PREVIEW_INDEX, 'a picture has no size');
}

function idOf(value: unknown): string {
  const id = parseVideoId(text(value));
  if (id === null) throw invalid(PREVIEW_INDEX, 'a video has no id');
  return id;
}

function unseenOf(value: unknown): Unseen {
  const found = UNSEEN.find((known) => known === value);
  if (found === undefined) throw invalid(PREVIEW_INDEX, 'what changed unseen is not known');
  return found;
}

function sceneChange(value: unknown): SceneChange {
  const found = SCENE_CHANGES.find((known) => known === value);
  if (found === undefined) throw invalid(PREVIEW_INDEX, 'how a scene changed is not known');
  return found;
}

function leftOut(value: unknown): LeftOut {
  const { id, reason } = record(value);
  const known = LEFT_OUT.find((candidate) => candidate === reason);
  if (known === undefined) throw invalid(PREVIEW_INDEX, 'why a video was left out is not known');
  return { id: idOf(id), reason: known };
}
