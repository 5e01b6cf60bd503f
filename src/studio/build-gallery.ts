import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { ReelformError } from '../kernel/diagnostic.ts';
import { nullIfMissing } from '../kernel/file-system-error.ts';
import { isOutputPath, OUTPUTS_FOLDER } from '../reconciler/lock/lock.ts';
import { requireFetched } from '../reconciler/project/find-pointers.ts';
import type { PreviewPorts } from './ports.ts';
import { createPreviewContext, type PreviewContext } from './preview-context.ts';
import type { FinishedFile, PreviewState, StillMark, TemplateCard, VideoCard } from './protocol.ts';
import { templateDetail, videoDetail } from './video-detail.ts';

/** Pixels of the stills of a gallery. */
const STILL_WIDTH = 960;

interface BuiltGallery {
  readonly videos: number;
  readonly stills: number;
  readonly files: number;
}

/**
 * Writes the page with the present videos as static files: stills, finished files and history. Nothing can be edited or drawn there.
 *
 * @param folder absolute; new, empty or written by an earlier call
 * @throws ReelformError `folder_taken`
 */
export async function buildGallery(ports: PreviewPorts, folder: string): Promise<BuiltGallery> {
  await clear(folder);
  const context = createPreviewContext(ports);
  try {
    await context.live.refresh();
    return await write(folder, context);
  } finally {
    context.events.close();
  }
}

async function write(folder: string, context: PreviewContext): Promise<BuiltGallery> {
  const { live, ports } = context;
  const { state } = live;
  await copyPage(ports.pageFolder, folder);
  const files = new Map<string, string>();
  const cardOf = (card: VideoCard): VideoCard => ({
    ...card,
    fingerprint: fileName(card.fingerprint),
    beforeFingerprint: card.beforeFingerprint && fileName(card.beforeFingerprint),
    finished: card.finished && finishedFile(card, card.finished, context, files),
  });
  const templates = state.templates.map(templateCard);
  const shown: PreviewState = {
    ...state,
    videos: state.videos.map(cardOf),
    templates,
    run: null,
    otherRun: null,
    isLive: false,
  };
  await writeJson(join(folder, 'api/state.json'), shown);
  const drawings: Promise<void>[] = [];
  const draw = (fingerprint: string | null, marks: readonly StillMark[], poster: number): void => {
    if (fingerprint === null || fingerprint === '') return;
    for (const frame of new Set([poster, ...marks.map((mark) => mark.frame)])) {
      drawings.push(drawStill(fingerprint, frame, folder, context));
    }
  };
  for (const card of state.videos) {
    const detail = await videoDetail(card.id, context);
    await writeJson(join(folder, 'api/video', `${card.id}.json`), { ...detail, card: cardOf(card) });
    if (card.picture === null) continue;
    draw(card.fingerprint, detail.stills, card.posterFrame);
    draw(card.beforeFingerprint, detail.stills, card.posterFrame);
  }
  for (const card of state.templates) {
    if (card.fingerprints === null) continue;
    const detail = templateDetail(card.name, live);
    await writeJson(join(folder, 'api/template', `${card.name}.json`), { ...detail, card: templateCard(card) });
    draw(card.fingerprints.example, detail.stills, card.posterFrame);
  }
  await Promise.all(drawings);
  for (const [path, copy] of files) {
    await mkdir(dirname(join(folder, copy)), { recursive: true });
    await copyFile(join(ports.root, path), join(folder, copy));
  }
  return { videos: state.videos.length, stills: drawings.length, files: files.size };
}

/** A fingerprint as a part of a path: some systems and hosts allow no colon. */
function fileName(fingerprint: string): string {
  return fingerprint.replaceAll(':', '-');
}

function templateCard(card: TemplateCard): TemplateCard {
  const { fingerprints } = card;
  if (fingerprints === null) return card;
  const named = Object.entries(fingerprints).map(([variant, fingerprint]) => [variant, fileName(fingerprint)]);
  return { ...card, fingerprints: Object.fromEntries(named) as NonNullable<TemplateCard['fingerprints']> };
}

/** @param files gets the path in the repository and in the gallery */
function finishedFile(
  { id }: VideoCard,
  finished: FinishedFile,
  { live, ports }: PreviewContext,
  files: Map<string, string>,
): FinishedFile {
  const path = live.loaded.lock?.videos.get(id)?.video_url ?? '';
  if (!isOutputPath(path)) return finished;
  requireFetched(ports.root, path);
  const copy = posix.join('finished', path.slice(OUTPUTS_FOLDER.length + 1));
  files.set(path, copy);
  return { ...finished, url: copy.split('/').map(encodeURIComponent).join('/') };
}

async function drawStill(
  fingerprint: string,
  frame: number,
  folder: string,
  { live, stills }: PreviewContext,
): Promise<void> {
  const { signal } = new AbortController();
  const still = { frame, type: 'jpeg', width: STILL_WIDTH } as const;
  const bytes = await stills.draw(live.subject(fingerprint), still, signal);
  const path = join(folder, 'api/still', fileName(fingerprint), `${frame}.jpeg`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
}

/** Browsers load no modules from `file:` addresses, which would leave the page blank. */
const FILE_NOTICE = `<script>
if (location.protocol === 'file:') document.querySelector('#page').innerHTML =
  '<p class="empty">Browsers show this gallery only from a web server. Start one in its folder, such as <code>python3 -m http.server</code>, and open its address.</p>';
</script>`;

/** Copies the page and marks it, with an attribute, as a page without a server. */
async function copyPage(from: string, folder: string): Promise<void> {
  await cp(from, folder, { recursive: true });
  const index = join(folder, 'index.html');
  const text = await readFile(index, 'utf8');
  await writeFile(index, text.replace(/<html\b/, '<html data-gallery').replace('</body>', `${FILE_NOTICE}\n</body>`));
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(value));
}

/** Removes an earlier gallery. @throws ReelformError `folder_taken` if there are other files */
async function clear(folder: string): Promise<void> {
  const names = (await nullIfMissing(readdir(folder))) ?? [];
  const isGallery = (await nullIfMissing(readFile(join(folder, 'api/state.json')))) !== null;
  if (names.length > 0 && !isGallery) {
    throw new ReelformError('folder_taken', `${folder} has files that are not those of a gallery`, {
      hint: 'Name a new folder',
    });
  }
  for (const name of ['api', 'finished']) await rm(join(folder, name), { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
}
