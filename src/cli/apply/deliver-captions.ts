import { Readable } from 'node:stream';
import { DeliveryFailure } from '../../contract/destinations/destination.ts';
import { parseDestination } from '../../contract/destinations/destination-address.ts';
import { type Backoff, backoffMs } from '../../kernel/backoff.ts';
import { defined } from '../../kernel/defined.ts';
import type { VideoFailure } from '../../reconciler/apply/events.ts';
import type { ApplyPorts } from '../../reconciler/apply/run-context.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import { openDestination } from '../../service/delivery/open-destination.ts';
import type { Io } from '../io.ts';

/** Attempts, and the waits between them. */
const MAX_TRIES = 3;
const BACKOFF: Backoff = { firstMs: 1_000, maxMs: 10_000 };

const CONTENT_TYPES = { vtt: 'text/vtt', srt: 'application/x-subrip' } as const;

/** Returns the port that delivers files with captions, with the credentials of reelform.yaml. */
export function openCaptionDelivery(
  { root, config }: Pick<Project, 'root' | 'config'>,
  io: Pick<Io, 'env' | 'wait'>,
): ApplyPorts['deliverCaptions'] {
  return async ({ format, text, sha256 }, { to, credential: name }, signal) => {
    const parsed = parseDestination(to);
    if (!parsed.ok) throw new Error(`Internal error: ${to} is not a destination`);
    const credential = name === null ? null : (config.credentials.get(name) ?? null);
    const bytes = Buffer.from(text);
    const file = {
      size: bytes.length,
      contentType: CONTENT_TYPES[format],
      sha256,
      stream: ({ start, end } = { start: 0, end: bytes.length }) => Readable.from([bytes.subarray(start, end)]),
    };
    for (let tries = 1; ; tries += 1) {
      try {
        const destination = await openDestination(parsed.target, credential, { env: io.env, directory: root });
        const { url } = await destination.deliver(file, { signal, state: null, onState: async () => undefined });
        return { to, ...defined({ url: url ?? undefined }), sha256 };
      } catch (error) {
        if (!(error instanceof DeliveryFailure)) throw error;
        if (!error.isRetryable || tries === MAX_TRIES) return failureOf(to, error);
        await io.wait(backoffMs(tries - 1, BACKOFF), signal);
      }
    }
  };
}

function failureOf(to: string, { message }: DeliveryFailure): VideoFailure {
  return {
    code: 'delivery_failed',
    message: message.includes(to) ? message : `${to}: ${message}`,
    hint: 'Run apply again: the captions are delivered without a render',
    retryable: true,
  };
}
