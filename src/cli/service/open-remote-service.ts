import type { RemoteRenderService } from '../../contract/render-service.ts';
import { ServiceError } from '../../contract/service-error.ts';
import type { ProbeUrl } from '../../contract/urls.ts';
import type { RenderSession } from '../../contract/wire/render-session.ts';
import { EXIT, ReelformError } from '../../kernel/diagnostic.ts';
import { requireContent } from '../../kernel/file-kind.ts';
import type { Config } from '../../reconciler/project/config.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import { type ProjectTemplate, templateFilePath } from '../../reconciler/project/load-templates.ts';
import { checkTokenOrigin } from '../../reconciler/service-client/exchange.ts';
import { createHttpService, type HttpServiceOptions } from '../../reconciler/service-client/http-service.ts';
import type { StyleVersionPusher, StyleVersionUpload } from '../../reconciler/service-client/style-version-pusher.ts';
import { type AllowList, parseAllowList } from '../../service/sessions/sources/allow-list.ts';
import { createUrlProbe } from '../../service/sessions/sources/fetch-source.ts';
import { writePackageZip } from '../../template/archive/write-zip.ts';
import type { Io } from '../io.ts';

export type RemoteService = RemoteRenderService & StyleVersionPusher;

/** Time in milliseconds after which a request without an answer is reported. */
const SILENT_MS = 5_000;

/**
 * Opens the service at the URL of reelform.yaml. Requests without an answer are reported on stderr, unless the caller
 * passes options because it shows its own progress.
 *
 * @throws ReelformError `token_missing`, `token_origin`, `config_invalid` for the embedded service
 */
export function openRemoteService(
  project: Pick<Project, 'config'>,
  io: Io,
  options: Pick<HttpServiceOptions, 'keyLifetimeMs' | 'publish' | 'onRequest'> = { onRequest: reportSilence(io) },
): RemoteService {
  const { service } = project.config;
  if (service === 'embedded') {
    const message = 'This command needs a service with a URL, but reelform.yaml has "service: embedded"';
    throw new ReelformError('config_invalid', message, { hint: 'Write "service: {url: https://…}" in reelform.yaml' });
  }
  checkTokenOrigin(service.url, io.env.REELFORM_TOKEN_ORIGIN);
  return createHttpService({
    url: service.url,
    token: tokenFrom(io.env, service.tokenEnv),
    ...options,
    capabilities: service.capabilities,
    now: () => io.now(),
    monotonicNow: () => io.monotonicNow(),
    wait: io.wait,
    random: Math.random,
  });
}

/** Reports on stderr a request without an answer, unless the service answered another request meanwhile. */
function reportSilence(io: Io): (name: string) => () => void {
  let openRequests = 0;
  let heardAt = 0;
  return (name) => {
    if (openRequests === 0) heardAt = io.monotonicNow();
    openRequests += 1;
    const cancel = io.after(SILENT_MS, () => {
      if (io.monotonicNow() - heardAt < SILENT_MS / 2) return;
      heardAt = io.monotonicNow();
      io.stderr.write(`${name}: no response for ${SILENT_MS / 1000} s, still waiting\n`);
    });
    return () => {
      openRequests -= 1;
      heardAt = io.monotonicNow();
      cancel();
    };
  };
}

/** Syntax of bearer tokens. @see RFC 6750, section 2.1 */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

function tokenFrom(env: Io['env'], name: string): string {
  const token = (env[name] ?? '').trim();
  if (TOKEN.test(token)) return token;
  const problem = token === '' ? 'is not set' : 'contains invalid characters';
  const message = `The environment variable ${name}, with the access token of the service, ${problem}`;
  const hint = `export ${name}=…, with a token of the service; for your own service: export ${name}=$(reelform token create)`;
  throw new ReelformError('token_missing', message, { hint, exitCode: EXIT.authentication });
}

/**
 * Returns a template package for an upload; null for a style version that only the service has.
 *
 * @throws ReelformError `lfs_pointer`
 */
export function packageUpload(template: ProjectTemplate): StyleVersionUpload | null {
  const { name, spec, files } = template;
  if (files === null) return null;
  for (const [below, bytes] of files) requireContent(templateFilePath(template, below), bytes);
  return { name, spec, zip: () => writePackageZip(files) };
}

/**
 * Fetches a session by its id.
 *
 * @throws ReelformError `session_gone`; errors of the service
 */
export async function fetchSession(service: RemoteRenderService, id: string): Promise<RenderSession> {
  try {
    return (await service.getRenderSession(id)).session;
  } catch (error) {
    if (!(error instanceof ServiceError && error.status === 404)) throw error;
    throw new ReelformError('session_gone', `${service.name} does not have the session ${id}`, {
      hint: 'Check the id',
    });
  }
}

/**
 * Opens the probe for remote files. A pull request can write any URL into a definition, so only public hosts, the
 * service itself and the hosts in `REELFORM_ALLOW_SOURCES` are contacted.
 *
 * @throws ReelformError `settings_invalid`
 */
export function openUrlProbe(config: Config, io: Pick<Io, 'env'>): ProbeUrl {
  return createUrlProbe({ allow: allowListOf(config, io.env) });
}

/** @see openUrlProbe */
export function allowListOf({ service }: Config, env: Io['env']): AllowList {
  const listed = (env.REELFORM_ALLOW_SOURCES ?? '').split(',').map((entry) => entry.trim());
  const serviceHosts = service === 'embedded' ? [] : [new URL(service.url).host];
  const allowed = parseAllowList([...listed.filter((entry) => entry !== ''), ...serviceHosts]);
  if (!allowed.ok) {
    const problems = allowed.diagnostics.map(({ message }) => message).join('; ');
    throw new ReelformError('settings_invalid', `In REELFORM_ALLOW_SOURCES: ${problems}`);
  }
  return allowed.value;
}
