import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import pLimit from 'p-limit';
import { isAllowed } from '../../../contract/destinations/credential.ts';
import { DeliveryFailure } from '../../../contract/destinations/destination.ts';
import { type DestinationAddress, parseDestination } from '../../../contract/destinations/destination-address.ts';
import { RenderError } from '../../../engine/render-error.ts';
import { type Diagnostic, ReelformError, warningAt } from '../../../kernel/diagnostic.ts';
import { sha256 } from '../../../kernel/digest.ts';
import { pushPictures } from '../../../reconciler/git/image-branch.ts';
import { tryGit } from '../../../reconciler/git/run-git.ts';
import type { Config } from '../../../reconciler/project/config.ts';
import { loadProject } from '../../../reconciler/project/load-project.ts';
import { imagesOf, mapImages, type PlanPreview, type PreviewImage } from '../../../report/preview/plan-preview.ts';
import type { PreviewRenderer } from '../../../report/preview/preview-video.ts';
import { reencodeImages } from '../../../report/preview/reencode-images.ts';
import { countNoun } from '../../../report/wording/quantities.ts';
import { openDestination } from '../../../service/delivery/open-destination.ts';
import { printWarning } from '../../forge/forge-job.ts';
import type { Io } from '../../io.ts';
import { openCommandPool } from '../../render/open-pool.ts';

/**
 * Publishes images where readers of a comment can load them.
 *
 * @returns their URLs
 * @throws ReelformError `git_failed`; DeliveryFailure
 */
type PreviewHost = (images: readonly PreviewImage[]) => Promise<readonly string[]>;

interface HostedRepository {
  /** Absolute. */
  readonly root: string;
  readonly config: Pick<Config, 'credentials'>;
}

const REMOTE = 'origin';
const UPLOADS = 6;
const KEEP_DAYS = 30;

/**
 * Opens the host that `--preview-host` names: `branch:NAME` of the remote `origin`, or a folder in a bucket that a
 * credential of reelform.yaml allows and has a `public_url` for. Images in a bucket stay until the bucket's own rules
 * remove them.
 *
 * @param keepDays how long images stay on a branch; 30 when absent
 * @throws ReelformError `preview_invalid` for an invalid host
 */
export async function openPreviewHost(
  place: string,
  repository: HostedRepository,
  keepDays: number | undefined,
  io: Io,
): Promise<PreviewHost> {
  const branch = /^branch:(.+)$/.exec(place)?.[1];
  return branch === undefined
    ? bucketAt(place, repository, io)
    : branchAt(branch, repository, keepDays ?? KEEP_DAYS, io);
}

function endingOf({ contentType }: PreviewImage): 'jpg' | 'png' {
  return contentType === 'image/png' ? 'png' : 'jpg';
}

async function branchAt(branch: string, { root }: HostedRepository, keepDays: number, io: Io): Promise<PreviewHost> {
  if ((await tryGit(root, ['check-ref-format', '--branch', branch])) === null) {
    throw unusable(`${JSON.stringify(branch)} is not a branch name`, 'Write it like branch:reelform-previews');
  }
  const web = await webAddress(root, io);
  if (web === null) {
    throw unusable('The URL of the repository is unknown', 'Add a remote origin, or name a bucket');
  }
  return async (images) => {
    const paths = await pushPictures(
      images.map((image) => ({ bytes: image.bytes, ending: endingOf(image) })),
      {
        root,
        branch,
        keepDays,
        remote: REMOTE,
        now: () => io.now(),
        backOff: async (attempt) => void (await setTimeout(Math.random() * 250 * 2 ** attempt)),
      },
    );
    const encoded = branch.split('/').map(encodeURIComponent).join('/');
    return paths.map((path) => `${web}/blob/${encoded}/${path}?raw=true`);
  };
}

/** Returns the web address `https://github.com/owner/name` from GitHub's environment, otherwise from the remote. */
async function webAddress(root: string, { env }: Io): Promise<string | null> {
  if (env.GITHUB_REPOSITORY) return `${env.GITHUB_SERVER_URL || 'https://github.com'}/${env.GITHUB_REPOSITORY}`;
  const url = (await tryGit(root, ['remote', 'get-url', REMOTE]))?.trim() ?? '';
  const [, host, path] =
    /^(?:https?|ssh|git):\/\/(?:[^/@]*@)?([^/:]+)(?::\d+)?\/(.+?)(?:\.git)?\/?$/.exec(url) ??
    /^(?:[^/@]+@)?([^/:]+):(?!\/\/)(.+?)(?:\.git)?\/?$/.exec(url) ??
    [];
  return host === undefined ? null : `https://${host}/${path}`;
}

function bucketAt(place: string, { root, config }: HostedRepository, io: Io): PreviewHost {
  const folder = place.endsWith('/') ? place : `${place}/`;
  const targetOf = (name: string): DestinationAddress => {
    const parsed = parseDestination(`${folder}${name}`);
    if (parsed.ok && parsed.target.kind !== 'file') return parsed.target;
    const why = parsed.ok ? 'A folder of this machine is not accessible on the web' : parsed.problem.message;
    throw unusable(why, 'Write branch:NAME, or s3://bucket/folder/');
  };
  const target = targetOf('-');
  const credential = [...config.credentials.values()].find((candidate) => isAllowed(target, candidate)) ?? null;
  if (credential === null || credential.publicUrl === null) {
    const what = credential === null ? 'allows writing there' : 'has the public URL of that folder';
    throw unusable(
      `No credential of reelform.yaml ${what}`,
      'Add a credential with allow: and public_url: to "credentials"',
    );
  }
  const put = async (image: PreviewImage): Promise<string> => {
    const { contentType } = image;
    const bytes = Buffer.from(image.bytes.buffer, image.bytes.byteOffset, image.bytes.length);
    const digest = sha256(bytes);
    const destination = await openDestination(targetOf(`${digest}.${endingOf(image)}`), credential, {
      env: io.env,
      directory: root,
    });
    const file = {
      size: bytes.length,
      contentType,
      sha256: digest,
      stream: ({ start, end } = { start: 0, end: bytes.length }) => Readable.from([bytes.subarray(start, end)]),
    };
    const { signal } = new AbortController();
    return (await destination.deliver(file, { signal, state: null, onState: async () => undefined })).url!;
  };
  return async (images) => {
    const limit = pLimit(UPLOADS);
    const once = new Map<string, Promise<string>>();
    return Promise.all(
      images.map((image) => {
        const digest = sha256(image.bytes);
        const sent = once.get(digest) ?? limit(put, image);
        once.set(digest, sent);
        return sent;
      }),
    );
  };
}

function unusable(message: string, hint: string): ReelformError {
  return new ReelformError('preview_invalid', `--preview-host: ${message}`, { hint });
}

interface PublishedPreview {
  readonly preview: PlanPreview;
  /** Reasons that images are missing. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Publishes the images. A failure is a warning and must not lose the plan: the images are still in the folder or the
 * report.
 */
export async function publishPreview(preview: PlanPreview, host: PreviewHost | null): Promise<PublishedPreview> {
  try {
    const images = host === null ? [] : imagesOf(preview);
    if (host === null || images.length === 0) return { preview, diagnostics: [] };
    const urls = await host(images);
    const urlOf = new Map(images.map((image, index) => [image, urls[index]!]));
    return { preview: mapImages(preview, (image) => ({ ...image, url: urlOf.get(image)! })), diagnostics: [] };
  } catch (error) {
    if (!(error instanceof ReelformError || error instanceof DeliveryFailure)) throw error;
    const { code, hint } = error instanceof ReelformError ? error : UNDELIVERED;
    const message = `The images could not be published: ${error.message}`;
    return { preview, diagnostics: [warningAt(code, undefined, message, hint)] };
  }
}

const UNDELIVERED = {
  code: 'write_failed',
  hint: 'Check the credential in reelform.yaml and its permissions',
} as const;

/** Maximum time in milliseconds that a comment waits for its images. */
const MAX_MS = 180_000;

interface HostPreviewOptions {
  /** Absolute path of the trusted checkout. */
  readonly directory: string;
  /** `branch:NAME`, or a folder in a bucket. */
  readonly place: string;
  readonly keepDays: number | undefined;
}

/**
 * Redraws the images of an untrusted preview in a process without the environment of this process, and publishes only
 * redrawn images.
 *
 * @returns the preview with the URLs of its images; without images if they could not be published, with a warning
 * @throws ReelformError `preview_invalid` for an invalid host
 */
export async function publishUntrustedPreview(
  preview: PlanPreview,
  { directory, place, keepDays }: HostPreviewOptions,
  io: Io,
): Promise<PlanPreview> {
  const repository = place.startsWith('branch:')
    ? { root: directory, config: { credentials: new Map() } }
    : await loadProject({ cwd: directory });
  const host = await openPreviewHost(place, repository, keepDays, io);
  const pool = openCommandPool(io);
  try {
    const signal = AbortSignal.timeout(MAX_MS);
    const compare: PreviewRenderer['compare'] = (comparison) =>
      pool.run('compare', comparison, { signal }).catch((error: unknown) => {
        // Images that were drawn before the timeout are shown.
        throw signal.aborted
          ? new RenderError('render_timeout', 'Drawing exceeded its time limit', { cause: error })
          : error;
      });
    const redrawn = await reencodeImages(preview, { compare });
    if (redrawn.leftOut > 0) {
      printWarning({ message: `${countNoun(redrawn.leftOut, 'picture')} of the preview cannot be published` }, io);
    }
    const published = await publishPreview(redrawn.preview, host);
    for (const warning of published.diagnostics) printWarning(warning, io);
    return published.preview;
  } finally {
    await pool.close();
  }
}
