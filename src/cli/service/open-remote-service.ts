import { setTimeout } from 'node:timers/promises';
import { EXIT, ReelformError } from '../../diagnostic.ts';
import type { Project } from '../../project/load-project.ts';
import type { ProjectTemplate } from '../../project/load-templates.ts';
import { checkTokenOrigin } from '../../service/exchange.ts';
import { createHttpService, type HttpServiceOptions } from '../../service/http-service.ts';
import type { RemoteRenderService } from '../../service/render-service.ts';
import type { StyleVersionPusher, StyleVersionUpload } from '../../service/style-version-pusher.ts';
import { writePackageZip } from '../../template/archive/write-zip.ts';
import type { Io } from '../io.ts';

export type RemoteService = RemoteRenderService & StyleVersionPusher;

/** A request without an answer is reported after so long. */
const SILENT_MS = 5_000;

/**
 * The service behind the URL that reelform.yaml names. Requests without an answer are reported on stderr, unless the
 * caller passes options because it shows its own progress.
 *
 * @throws ReelformError `token_missing`, `token_origin`, `config_invalid` for a repository that renders by itself
 */
export function openRemoteService(
  project: Pick<Project, 'config'>,
  io: Io,
  options: Pick<HttpServiceOptions, 'keyLifetimeMs' | 'publish' | 'onRequest'> = { onRequest: reportSilence(io) },
): RemoteService {
  const { service } = project.config;
  if (service === 'embedded') {
    throw new ReelformError(
      'config_invalid',
      'There is no service behind a URL: reelform.yaml says "service: embedded"',
      {
        hint: 'Write "service: {url: https://…}" into reelform.yaml',
      },
    );
  }
  checkTokenOrigin(service.url, io.env.REELFORM_TOKEN_ORIGIN);
  return createHttpService({
    url: service.url,
    token: tokenFrom(io.env, service.tokenEnv),
    ...options,
    capabilities: service.capabilities,
    now: () => io.now(),
    wait: (milliseconds) => setTimeout(milliseconds),
    random: Math.random,
  });
}

/** Reports on stderr a request that has no answer, unless the service answered another one meanwhile. */
function reportSilence(io: Io): (name: string) => () => void {
  let openRequests = 0;
  let heardAt = 0;
  return (name) => {
    if (openRequests === 0) heardAt = io.monotonicNow();
    openRequests += 1;
    const cancel = io.after(SILENT_MS, () => {
      if (io.monotonicNow() - heardAt < SILENT_MS / 2) return;
      heardAt = io.monotonicNow();
      io.stderr.write(`${name}: no answer for ${SILENT_MS / 1000} s, still waiting\n`);
    });
    return () => {
      openRequests -= 1;
      heardAt = io.monotonicNow();
      cancel();
    };
  };
}

/** Of RFC 6750, section 2.1: nothing else can be in the header. */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

function tokenFrom(env: Io['env'], name: string): string {
  const token = (env[name] ?? '').trim();
  if (TOKEN.test(token)) return token;
  const problem = token === '' ? 'is not set' : 'holds characters that no token has';
  throw new ReelformError(
    'token_missing',
    `The environment variable ${name}, with the access token of the service, ${problem}`,
    {
      hint: `export ${name}=…, with a token of the service; for one of your own: export ${name}=$(reelform token create)`,
      exitCode: EXIT.authentication,
    },
  );
}

/** A template package as a service takes it; null for a style version that the service has of its own. */
export function uploadOf({ name, spec, files }: ProjectTemplate): StyleVersionUpload | null {
  return files === null ? null : { name, spec, zip: () => writePackageZip(files) };
}
