import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import pLimit from 'p-limit';
import { isAllowed } from '../../delivery/credential.ts';
import { type DestinationAddress, parseDestination } from '../../delivery/destination-address.ts';
import { openDestination } from '../../delivery/open-destination.ts';
import { ReelformError } from '../../diagnostic.ts';
import { sha256 } from '../../digest.ts';
import { pushPictures } from '../../git/image-branch.ts';
import { tryGit } from '../../git/run-git.ts';
import { mapImages, type PlanPreview, type PreviewImage } from '../../preview/plan-preview.ts';
import type { Config } from '../../project/config.ts';
import type { Io } from '../io.ts';

/** A place where whoever reads a comment finds pictures. */
export interface PreviewHost {
  /**
   * Puts the pictures there.
   *
   * @returns the same preview with their URLs
   * @throws ReelformError `git_failed`; DeliveryFailure
   */
  publish(preview: PlanPreview): Promise<PlanPreview>;
}

interface HostedRepository {
  /** Absolute. */
  readonly root: string;
  readonly config: Pick<Config, 'credentials'>;
}

const REMOTE = 'origin';
/** Files on their way to a bucket at once. */
const UPLOADS = 6;
const KEEP_DAYS = 30;

/**
 * What `--preview-host` names: `branch:NAME` of the remote `origin`, or a folder in a bucket that a credential of reelform.yaml
 * may write to and has a `public_url` for. In a bucket pictures stay until its own rules remove them.
 *
 * @param keepDays for how long pictures stay on a branch; 30 when absent
 * @throws ReelformError `preview_invalid` for a place that cannot be used
 */
export async function openPreviewHost(
  place: string,
  repository: HostedRepository,
  keepDays: number | undefined,
  io: Io,
): Promise<PreviewHost> {
  const branch = /^branch:(.+)$/.exec(place)?.[1];
  const put =
    branch === undefined
      ? bucketAt(place, repository, io)
      : await branchAt(branch, repository, keepDays ?? KEEP_DAYS, io);
  return {
    async publish(preview) {
      const images: PreviewImage[] = [];
      mapImages(preview, (image) => {
        images.push(image);
        return image;
      });
      if (images.length === 0) return preview;
      const urls = await put(images);
      const urlOf = new Map(images.map((image, index) => [image, urls[index]!]));
      return mapImages(preview, (image) => ({ ...image, url: urlOf.get(image)! }));
    },
  };
}

type Put = (images: readonly PreviewImage[]) => Promise<readonly string[]>;

function endingOf({ contentType }: PreviewImage): 'jpg' | 'png' {
  return contentType === 'image/png' ? 'png' : 'jpg';
}

async function branchAt(branch: string, { root }: HostedRepository, keepDays: number, io: Io): Promise<Put> {
  if ((await tryGit(root, ['check-ref-format', '--branch', branch])) === null) {
    throw unusable(`${JSON.stringify(branch)} is no name of a branch`, 'Write it like branch:reelform-previews');
  }
  const web = await webAddress(root, io);
  if (web === null) {
    throw unusable('Nothing says under which address the repository is read', 'Add a remote origin, or name a bucket');
  }
  return async (images) => {
    const paths = await pushPictures(
      images.map((image) => ({ bytes: image.bytes, ending: endingOf(image) })),
      {
        ...{ root, branch, keepDays, remote: REMOTE },
        now: () => io.now(),
        backOff: async (attempt) => void (await setTimeout(Math.random() * 250 * 2 ** attempt)),
      },
    );
    const encoded = branch.split('/').map(encodeURIComponent).join('/');
    return paths.map((path) => `${web}/blob/${encoded}/${path}?raw=true`);
  };
}

/** `https://github.com/owner/name`: as GitHub Actions says it, else as the remote is called. */
async function webAddress(root: string, { env }: Io): Promise<string | null> {
  if (env.GITHUB_REPOSITORY) return `${env.GITHUB_SERVER_URL || 'https://github.com'}/${env.GITHUB_REPOSITORY}`;
  const url = (await tryGit(root, ['remote', 'get-url', REMOTE]))?.trim() ?? '';
  const [, host, path] =
    /^(?:https?|ssh|git):\/\/(?:[^/@]*@)?([^/:]+)(?::\d+)?\/(.+?)(?:\.git)?\/?$/.exec(url) ??
    /^(?:[^/@]+@)?([^/:]+):(?!\/\/)(.+?)(?:\.git)?\/?$/.exec(url) ??
    [];
  return host === undefined ? null : `https://${host}/${path}`;
}

function bucketAt(place: string, { root, config }: HostedRepository, io: Io): Put {
  const folder = place.endsWith('/') ? place : `${place}/`;
  const targetOf = (name: string): DestinationAddress => {
    const parsed = parseDestination(`${folder}${name}`);
    if (parsed.ok && parsed.target.kind !== 'file') return parsed.target;
    const why = parsed.ok ? 'Nobody else finds a folder of this machine' : parsed.problem.message;
    throw unusable(why, 'Write branch:NAME, or s3://bucket/folder/');
  };
  const target = targetOf('-');
  const credential = [...config.credentials.values()].find((one) => isAllowed(target, one)) ?? null;
  if (credential === null || credential.publicUrl === null) {
    const what = credential === null ? 'may write there' : 'says under which URL that is read';
    throw unusable(`No credential of reelform.yaml ${what}`, 'Add one with allow: and public_url: to "credentials"');
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
      ...{ size: bytes.length, contentType, sha256: digest },
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
