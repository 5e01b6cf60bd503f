import { isOutage, ServiceError, serviceError } from '../../../contract/service-error.ts';
import type { RequestProblem } from '../../../contract/wire/problem.ts';
import { scenesOf } from '../../../contract/wire/scene-request.ts';
import type { StyleVersionDetails } from '../../../contract/wire/style-version.ts';
import { RenderError } from '../../../engine/render-error.ts';
import { defined } from '../../../kernel/defined.ts';
import type { PackedPackage } from '../../sessions/bind-template.ts';
import type { TemplateRegistry, TenantId } from '../../sessions/ports.ts';
import { bindIn } from '../../sessions/processes/bind-in.ts';
import { KILLED_BY, TaskKilled, type TaskRunner } from '../../sessions/processes/tasks.ts';
import { emptySources } from '../../sessions/session-scenes.ts';
import {
  drawingProblem,
  type InspectedPackage,
  type PackageAspect,
  type PackageDescription,
  problem,
} from '../../sessions/sources/inspect-package.ts';
import type { ObjectStorage, StyleVersionRow } from '../ports.ts';
import { styleVersionAt } from '../public-urls.ts';
import type { StyleVersionTable } from '../store/style-version-table.ts';

export interface StyleVersionsOptions {
  readonly table: StyleVersionTable;
  /** Contains `packages/<id>.zip` and `stillcuts/<id>/<name>.png`. */
  readonly storage: ObjectStorage;
  readonly renderer: TaskRunner<'stills'>;
  readonly inspections: TaskRunner<'package' | 'bind'>;
  /** Queues a call of `process` unless a call for this id is queued. @param owner whose turn it takes */
  readonly enqueue: (id: string, owner: string) => Promise<void>;
  /** URL without a trailing slash. */
  readonly publicUrl: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Tenants with the same scope share cached packages; all tenants when absent. */
  readonly scopeOf?: (tenant: TenantId) => string;
  /** Approximate memory limit of the package cache. */
  readonly cacheBytes?: number;
}

/** Owner of the operator's jobs; not a valid tenant name. */
const OPERATOR = '*';

/**
 * Manages the templates of a service. The id of a style version is derived from the parts of a package that affect
 * frames, so uploading the same package again returns the same style version. Labels, names and length limits are not
 * included: a later upload that differs only in them replaces them for its tenant.
 */
export class StyleVersions implements TemplateRegistry {
  readonly #options: StyleVersionsOptions;
  readonly #cache: PackageCache;

  constructor(options: StyleVersionsOptions) {
    this.#options = options;
    this.#cache = new PackageCache(options.cacheBytes ?? 256 * 2 ** 20);
  }

  /**
   * Uploads a package. A failed package is processed again.
   *
   * @throws ServiceError 422 `template_invalid` with all problems of the package
   */
  async upload(tenant: TenantId, zip: Uint8Array): Promise<{ details: StyleVersionDetails; isNew: boolean }> {
    const { table, storage, enqueue, inspections } = this.#options;
    const { description } = await readPackage(inspections, zip, 'description', tenant);
    const { id } = description.spec;
    const known = await table.get(tenant, id);
    if (known !== null && known.details.status !== 'failed') {
      return { details: await this.#publicDetails(await this.#describe(tenant, known, description)), isNew: false };
    }
    // Stored before the row refers to it, because the job may start at once.
    await storage.put(packageKey(id), zip);
    if (known !== null) await table.setStatus(id, { status: 'processing', errors: [], stillcuts: {} });
    else await table.put(this.#row(tenant, description, 'processing'));
    await enqueue(id, tenant);
    const stored = await table.get(tenant, id);
    return { details: await this.#publicDetails(stored!), isNew: known === null };
  }

  /**
   * Registers a trusted package for all tenants. It is usable at once; its still cuts follow.
   *
   * @param zip the package
   * @throws ServiceError 422 `template_invalid`
   */
  async register(zip: Uint8Array): Promise<void> {
    const { table, storage, enqueue, inspections } = this.#options;
    const { description } = await readPackage(inspections, zip, 'description', OPERATOR);
    const { id } = description.spec;
    if ((await storage.stat(packageKey(id))) === null) await storage.put(packageKey(id), zip);
    await table.put(this.#row(null, description, 'edit_ready'));
    // Also when it failed before, or a tenant's upload of it is waiting.
    await table.setStatus(id, { status: 'edit_ready', errors: [], stillcuts: await this.#stillcuts(id) });
    const drawn = await Promise.all(description.stillcuts.map((name) => storage.stat(stillcutKey(id, name))));
    if (drawn.includes(null)) await enqueue(id, OPERATOR);
  }

  /** Queues style versions whose processing was interrupted. Must be called once, at the start. */
  async resume(): Promise<void> {
    for (const id of await this.#options.table.processing()) await this.#options.enqueue(id, OPERATOR);
  }

  /**
   * Runs the job: renders the still cuts with the package's default values, which proves that it can be rendered.
   *
   * @throws the signal's reason, or an error of the storage or the table, after which the job is retried
   */
  async process(id: string, signal: AbortSignal): Promise<void> {
    const { table, storage, renderer, inspections } = this.#options;
    try {
      const template = (await this.#load(id, OPERATOR)).package!;
      const video = scenesOf({ mapping: { template_style_version_id: id, resources: {} } });
      const input = { video, templates: new Map([[id, template]]), sources: emptySources<Uint8Array>(video) };
      const renderInput = await bindIn(inspections)(input, { owner: id, signal });
      const stills = await renderer.run('stills', renderInput, { signal, owner: id });
      for (const { name, bytes } of stills) await storage.put(stillcutKey(id, name), bytes);
      await table.setStatus(id, { status: 'edit_ready', errors: [], stillcuts: await this.#stillcuts(id) });
    } catch (error) {
      // Errors during a shutdown are not caused by the package.
      signal.throwIfAborted();
      if (isOutage(error)) throw error;
      if (error instanceof RenderError) await this.#setFailed(id, [drawingProblem(error)]);
      else if (error instanceof ServiceError) await this.#setFailed(id, [...error.problems]);
      else throw error;
    }
  }

  /** Marks a style version as failed after its job failed for good. */
  async fail(id: string): Promise<void> {
    await this.#setFailed(id, [problem('internal', '', 'The package could not be processed; upload it again')]);
  }

  async find(tenant: TenantId, id: string): Promise<PackedPackage | null> {
    const row = await this.#options.table.get(tenant, id);
    if (row === null) return null;
    const { status, errors, name, digest, ...details } = row.details;
    if (status === 'processing') {
      throw serviceError('style_version_processing', `The style version ${id} is still being processed`);
    }
    if (status === 'failed') {
      throw serviceError('style_version_failed', `The style version ${id} cannot be used`, errors);
    }
    // A package that all tenants share is loaded once.
    const scope = row.tenant === null ? '' : (this.#options.scopeOf?.(tenant) ?? '');
    const found = await this.#cache.get(JSON.stringify([scope, id]), () => this.#load(id, tenant));
    if (found.digest !== digest) throw new Error(`Internal error: another package is stored for ${id}`);
    // Fields outside the digest belong to the tenant; the stored file may be another tenant's.
    const { editables, fonts, available_fonts: available, timing } = details;
    const spec = { id, editables, fonts, ...defined({ available_fonts: available, timing }) };
    return { ...found, spec, manifest: { ...found.manifest, name, description: null } };
  }

  /** Returns a style version as clients see it, with the URLs of its `stillcuts`. */
  async details(tenant: TenantId, id: string): Promise<StyleVersionDetails | null> {
    const row = await this.#options.table.get(tenant, id);
    return row === null ? null : this.#publicDetails(row);
  }

  /** Returns the tenant's own style versions and those for all tenants, newest first. */
  async list(tenant: TenantId): Promise<StyleVersionDetails[]> {
    const rows = await this.#options.table.list(tenant);
    return Promise.all(rows.map((row) => this.#publicDetails(row)));
  }

  /** Returns a PNG. */
  async stillcut(tenant: TenantId, id: string, name: string): Promise<Uint8Array | null> {
    const row = /^[\w-]+$/.test(name) ? await this.#options.table.get(tenant, id) : null;
    return row === null ? null : this.#options.storage.read(stillcutKey(row.details.id, name));
  }

  /** Updates the labels, limits and name of a known style version. */
  async #describe(tenant: TenantId, known: StyleVersionRow, inspected: PackageDescription): Promise<StyleVersionRow> {
    const { name, editables, created_at } = known.details;
    const isSame = name === inspected.name && JSON.stringify(editables) === JSON.stringify(inspected.spec.editables);
    if (isSame) return known;
    const { details } = this.#row(tenant, inspected, known.details.status);
    return this.#options.table.put({ tenant, details: { ...details, created_at } });
  }

  async #load(id: string, owner: string): Promise<InspectedPackage> {
    const zip = await this.#options.storage.read(packageKey(id));
    if (zip !== null) return readPackage(this.#options.inspections, zip, 'package', owner);
    const problems = [problem('template_invalid', '', 'The package is no longer stored; upload it again')];
    throw serviceError('style_version_failed', `The package of ${id} is no longer stored`, problems);
  }

  #row(
    tenant: TenantId | null,
    { spec, name, digest, width, height, fps, frameCount }: PackageDescription,
    status: StyleVersionDetails['status'],
  ): StyleVersionRow {
    const created_at = new Date(this.#options.now()).toISOString();
    const size = { width, height, fps, duration: frameCount / fps };
    return { tenant, details: { ...spec, name, status, errors: [], digest, ...size, stillcuts: {}, created_at } };
  }

  /** Adds the URLs of rendered still cuts. */
  async #publicDetails({ details }: StyleVersionRow): Promise<StyleVersionDetails> {
    if (details.status !== 'edit_ready') return details;
    return styleVersionAt(this.#options.publicUrl, { ...details, stillcuts: await this.#stillcuts(details.id) });
  }

  /** Returns the paths of rendered still cuts. */
  async #stillcuts(id: string): Promise<StyleVersionDetails['stillcuts']> {
    const { storage } = this.#options;
    const base = `/v2/template_style_versions/${encodeURIComponent(id)}/stillcuts`;
    const drawn = await storage.list(stillcutsPrefix(id));
    return Object.fromEntries(drawn.map(({ name }) => [name.replace(/\.png$/, ''), `${base}/${name}`]));
  }

  async #setFailed(id: string, errors: StyleVersionDetails['errors']): Promise<void> {
    await this.#options.table.setStatus(id, { status: 'failed', errors, stillcuts: {} });
  }
}

function packageKey(id: string): string {
  return `packages/${id}.zip`;
}

function stillcutsPrefix(id: string): string {
  return `stillcuts/${id}/`;
}

function stillcutKey(id: string, name: string): string {
  return `${stillcutsPrefix(id)}${name}.png`;
}

/**
 * Reads a zipped package in a sandboxed process.
 *
 * @param owner whose share of the processes it uses
 * @throws ServiceError 422 `template_invalid` with all problems; 503 `unavailable` if the time is not enough, which does not prove
 * that the package is at fault
 */
async function readPackage(
  processes: TaskRunner<'package'>,
  zip: Uint8Array,
  wants: PackageAspect,
  owner: string,
): Promise<InspectedPackage> {
  try {
    const answer = await processes.run('package', { wants }, { bytes: zip, owner });
    if ('problems' in answer) throw invalidPackage(answer.problems);
    return answer;
  } catch (error) {
    if (!(error instanceof TaskKilled)) throw error;
    if (error.reason === 'time') throw serviceError('unavailable', 'The package could not be checked in time');
    throw invalidPackage([problem('template_invalid', '', `The package ${KILLED_BY[error.reason]}`)]);
  }
}

function invalidPackage(problems: readonly RequestProblem[]): ServiceError {
  const [first] = problems;
  const message = problems.length === 1 ? first!.detail : `The package has ${problems.length} problems`;
  return serviceError('template_invalid', message, problems);
}

/** Caches recently used packages in memory. Concurrent requests for one package share its loading. */
class PackageCache {
  readonly #maxBytes: number;
  /** Ordered by last use, oldest first. */
  readonly #entries = new Map<string, { readonly loading: Promise<InspectedPackage>; memoryBytes: number }>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws the error of `load`; later calls try again */
  async get(id: string, load: () => Promise<InspectedPackage>): Promise<PackedPackage> {
    const entry = this.#entries.get(id) ?? { loading: load(), memoryBytes: 0 };
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    try {
      const loaded = await entry.loading;
      entry.memoryBytes = loaded.memoryBytes;
      this.#shrink(id);
      return loaded.package!;
    } catch (error) {
      if (this.#entries.get(id) === entry) this.#entries.delete(id);
      throw error;
    }
  }

  #shrink(kept: string): void {
    let sizeBytes = 0;
    for (const { memoryBytes } of this.#entries.values()) sizeBytes += memoryBytes;
    for (const [id, { memoryBytes }] of this.#entries) {
      if (sizeBytes <= this.#maxBytes) return;
      if (id === kept) continue;
      this.#entries.delete(id);
      sizeBytes -= memoryBytes;
    }
  }
}
