import { setMaxListeners } from 'node:events';
import { ReelformError } from '../diagnostic.ts';
import { SceneError } from '../engine/scene-error.ts';
import { ServiceError } from '../service/service-error.ts';
import type { CreateRenderSession, MediaResource, RenderSession, StyleVersion } from '../service/wire.ts';
import { bindMapping } from '../template/bind-mapping.ts';
import { checkMapping } from '../template/check-mapping.ts';
import type { TemplatePackage } from '../template/template-package.ts';
import {
  type OutputStore,
  type Renderer,
  type SessionEnvironment,
  SessionFailure,
  type SessionProblem,
  type SessionStore,
  type SourceReader,
  type TemplateRegistry,
} from './ports.ts';
import { failedSession, progressedSession, renderedSession, startedSession } from './render-session.ts';

export interface SessionPorts {
  readonly templates: TemplateRegistry;
  readonly sources: SourceReader;
  readonly renderer: Renderer;
  readonly outputs: OutputStore;
  readonly store: SessionStore;
  readonly environment: SessionEnvironment;
}

/**
 * The render sessions of a service: what the interface document says of them, over ports for everything that touches the
 * world. A session that was accepted always ends, rendered or failed; what fails in one stays in it.
 */
export class Sessions {
  readonly #ports: SessionPorts;
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(ports: SessionPorts) {
    this.#ports = ports;
    // Every fetch and every render listens; that is no leak.
    setMaxListeners(0, this.#stop.signal);
  }

  /** @throws ServiceError 404 */
  styleVersion(id: string): StyleVersion {
    return this.#template(id).spec;
  }

  /**
   * Accepts a session and starts to render it.
   *
   * @throws ServiceError 404 for an unknown style version, 422 for a mapping with mistakes (all of them)
   */
  async create(request: CreateRenderSession, outputName: string): Promise<RenderSession> {
    const { environment, store } = this.#ports;
    const template = this.#template(request.mapping.template_style_version_id);
    const problems = checkMapping(request.mapping.resources, template.spec);
    if (problems.length > 0) {
      const details = problems.map((problem) => problem.detail).join('; ');
      throw new ServiceError(422, 'mapping_invalid', `The mapping does not fit the template: ${details}`, problems);
    }
    const ids = { session: `rs_${environment.randomId()}`, mapping: `map_${environment.randomId()}` };
    const session = startedSession(request, ids, environment.now());
    await store.put(session);
    const running = this.#render(session, template, outputName).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return session;
  }

  /** @throws ServiceError 404 */
  async get(id: string): Promise<RenderSession> {
    const session = await this.#ports.store.get(id);
    if (session === null) throw new ServiceError(404, 'not_found', `There is no render session ${id}`);
    return session;
  }

  /** Stops what is being rendered and waits for it to be recorded as failed. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled([...this.#running]);
  }

  #template(id: string): TemplatePackage {
    const template = this.#ports.templates.find(id);
    if (template === null) throw new ServiceError(404, 'not_found', `There is no template style version ${id}`);
    return template;
  }

  async #render(started: RenderSession, template: TemplatePackage, outputName: string): Promise<void> {
    const { sources, renderer, outputs, store, environment } = this.#ports;
    const { signal } = this.#stop;
    let session = started;
    const record = (next: RenderSession): Promise<void> => {
      if (next === session) return Promise.resolve();
      session = next;
      return store.put(next);
    };
    try {
      const scene = bindMapping(
        template,
        started.mapping.resources,
        await readSources(started, template, sources, signal),
      );
      signal.throwIfAborted();
      const rendering = await renderer.render(scene, {
        signal,
        onProgress: (done, count) => void record(progressedSession(session, done / count, environment.now())),
      });
      const output = await outputs.save(outputName, rendering);
      await record(renderedSession(session, { ...output, fonts: template.spec.fonts }, environment.now()));
    } catch (error) {
      await record(failedSession(session, errorsOf(error), environment.now()));
    }
  }
}

/** All media of a mapping at once; every one that cannot be had is told. */
async function readSources(
  session: RenderSession,
  template: TemplatePackage,
  sources: SourceReader,
  signal: AbortSignal,
): Promise<Map<string, Uint8Array>> {
  const media = Object.entries(session.mapping.resources).filter(
    ([key]) => template.manifest.editables.get(key)?.kind === 'image',
  );
  const results = await Promise.allSettled(
    media.map(async ([key, resource]): Promise<[string, Uint8Array]> => {
      try {
        return [key, await sources.read((resource as MediaResource).source.remote_url, signal)];
      } catch (error) {
        throw error instanceof SessionFailure ? new SessionFailure({ ...error.error, editable: key }, error) : error;
      }
    }),
  );
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  if (failures.length > 0) throw new AggregateError(failures);
  return new Map(results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])));
}

function errorsOf(error: unknown): SessionProblem[] {
  if (error instanceof AggregateError) return error.errors.flatMap((one) => errorsOf(one));
  if (error instanceof SessionFailure) return [error.error];
  if (error instanceof SceneError) {
    const { code, message, imageName } = error;
    const retryable = code === 'render_crashed' || code === 'render_timeout';
    return [{ code, title: message, editable: imageName, severity: 'error', retryable }];
  }
  if (error instanceof ReelformError) {
    const detail = error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
    return [{ code: error.code, title: error.message, detail, severity: 'error', retryable: false }];
  }
  const detail = error instanceof Error ? error.message : String(error);
  if (typeof (error as NodeJS.ErrnoException).syscall === 'string') {
    return [{ code: 'storage_failed', title: 'The file system refused', detail, severity: 'error', retryable: true }];
  }
  return [{ code: 'internal', title: 'Internal error', detail, severity: 'error', retryable: false }];
}
