import type { Credential } from '../../delivery/credential.ts';
import { parseCredentials } from '../../delivery/parse-credentials.ts';
import type { Diagnostic, Span } from '../../diagnostic.ts';
import { closestMatch } from '../../hints.ts';
import { parseJsonPointer } from '../../json.ts';
import type { TenantId } from '../../session/ports.ts';
import { addDeliveries, createDestinations, MAX_UPLOADS } from '../../session/session-deliveries.ts';
import type { ExternalUploadRequest } from '../../wire/render-session.ts';
import { locateIn, type MapNode, type TreeNode, textOf, toJson } from '../../yaml/tree.ts';

/**
 * Settings that only the settings file can contain: they have more structure than a flag or an environment variable.
 */
export const FILE_SETTINGS = ['credentials', 'default_uploads'] as const;
export type FileSetting = (typeof FILE_SETTINGS)[number];

export interface DeliverySettings {
  readonly credentials: ReadonlyMap<string, Credential>;
  /** Keyed by tenant; `*` applies to all. */
  readonly defaultUploads: ReadonlyMap<string, readonly ExternalUploadRequest[]>;
  /** All mistakes with their source locations. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A session with the longest possible values for placeholders. */
const LONGEST = {
  id: `rs_${'x'.repeat(24)}`,
  title: 'x'.repeat(150),
  created_at: '2026-01-01T00:00:00.000Z',
  external_uploads: [],
};

/**
 * Reads `credentials` and `default_uploads` of a settings file, and validates the uploads against the credentials.
 *
 * @param directory base of relative paths; absolute
 */
export function readDeliverySettings(nodes: ReadonlyMap<FileSetting, TreeNode>, directory: string): DeliverySettings {
  const diagnostics: Diagnostic[] = [];
  const written = nodes.get('credentials');
  let credentials: ReadonlyMap<string, Credential> = new Map();
  if (written !== undefined) {
    const value = toJson(written, ([, property]) => property !== 'path_style' && property !== 'default');
    const parsed = parseCredentials(value, { isServer: true, directory });
    const locate = locateIn(written);
    credentials = parsed.credentials;
    for (const { path, part, message, hint } of parsed.problems) {
      const at = path.length === 0 ? written.span : locate(path, part).span;
      diagnostics.push({ code: 'settings_invalid', severity: 'error', message, hint, at });
    }
  }
  const node = nodes.get('default_uploads');
  const defaultUploads = new Map<string, readonly ExternalUploadRequest[]>();
  if (node !== undefined && node.kind !== 'map') {
    diagnostics.push(mistake('default_uploads must be a map of tenants, with * for all tenants', node.span));
  } else if (node !== undefined) {
    const names = written?.kind === 'map' ? [...written.entries.keys()] : [];
    for (const [tenant, { value }] of node.entries) {
      const reader = new UploadsReader(tenant, credentials, names);
      defaultUploads.set(tenant, reader.read(value));
      diagnostics.push(...reader.diagnostics);
    }
  }
  return { credentials, defaultUploads, diagnostics };
}

class UploadsReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly #tenant: string;
  readonly #credentials: ReadonlyMap<string, Credential>;
  /** Names of all credentials, including invalid ones. */
  readonly #names: readonly string[];

  constructor(tenant: string, credentials: ReadonlyMap<string, Credential>, names: readonly string[]) {
    this.#tenant = tenant;
    this.#credentials = credentials;
    this.#names = names;
  }

  read(node: TreeNode): ExternalUploadRequest[] {
    if (node.kind !== 'list' || node.items.length > MAX_UPLOADS) {
      this.diagnostics.push(
        mistake(`default_uploads of a tenant must be a list of at most ${MAX_UPLOADS} destinations`, node.span),
      );
      return [];
    }
    const uploads = node.items.map((item) => this.#upload(item));
    if (this.diagnostics.length > 0) return [];
    this.#check(node, uploads as ExternalUploadRequest[]);
    return uploads as ExternalUploadRequest[];
  }

  #upload(item: TreeNode): ExternalUploadRequest | null {
    if (item.kind !== 'map') {
      this.diagnostics.push(
        mistake('A destination must have the form {to: s3://bucket/key, credential: name}', item.span),
      );
      return null;
    }
    for (const [name, { keySpan }] of item.entries) {
      if (name === 'to' || name === 'credential') continue;
      const meant = closestMatch(name, ['to', 'credential']);
      const message = `A destination has no property ${JSON.stringify(name)}`;
      const hint = meant === null ? 'Its properties are "to" and "credential"' : `Did you mean ${meant}?`;
      this.diagnostics.push({ code: 'unknown_property', severity: 'error', message, hint, at: keySpan });
    }
    const to = this.#text(item, 'to');
    const credential = this.#text(item, 'credential');
    return to === null || credential === null ? null : { to, credential };
  }

  #text(item: MapNode, name: string): string | null {
    const node = item.entries.get(name)?.value ?? null;
    const text = textOf(node);
    if (text === null) this.diagnostics.push(mistake(`A destination needs ${name}, a string`, node?.span ?? item.span));
    return text;
  }

  #check(node: TreeNode, uploads: readonly ExternalUploadRequest[]): void {
    const destinations = createDestinations({
      credentials: this.#credentials,
      isServer: true,
      env: {},
      directory: '/',
    });
    const tenant = this.#tenant as TenantId;
    const session = { ...LONGEST, output: { format: 'webm' } as const };
    for (const { code, pointer, detail } of addDeliveries(session, uploads, tenant, destinations).problems) {
      const path = parseJsonPointer(pointer).slice(1);
      const named = uploads[Number(path[0])]?.credential ?? '';
      // The mistake of the credential itself has already been reported.
      if (code === 'unknown_credential' && !this.#credentials.has(named) && this.#names.includes(named)) continue;
      const isAnothers = code === 'unknown_credential' && this.#credentials.has(named);
      const whose = tenant === '*' ? 'every tenant' : `the tenant ${tenant}`;
      const message = isAnothers ? `The credential ${named} cannot be used by ${whose}` : capitalised(detail);
      this.diagnostics.push(mistake(message, locateIn(node)(path, 'value').span));
    }
  }
}

function mistake(message: string, at: Span): Diagnostic {
  return { code: 'settings_invalid', severity: 'error', message, at };
}

function capitalised(text: string): string {
  // A URL keeps its lower-case scheme.
  return /^\w+:/.test(text) ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
