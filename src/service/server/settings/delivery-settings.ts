import type { Credential } from '../../../contract/destinations/credential.ts';
import { parseCredentials } from '../../../contract/destinations/parse-credentials.ts';
import type { ExternalUploadRequest } from '../../../contract/wire/render-session.ts';
import { type Diagnostic, errorAt, type Span } from '../../../kernel/diagnostic.ts';
import { didYouMean } from '../../../kernel/hints.ts';
import { parseJsonPointer } from '../../../kernel/json.ts';
import { locateIn, type TreeNode, textOf, toJson } from '../../../kernel/yaml/tree.ts';
import type { TenantId } from '../../sessions/ports.ts';
import { addDeliveries, createDestinations, MAX_UPLOADS } from '../../sessions/session-deliveries.ts';

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
      diagnostics.push(errorAt('settings_invalid', at, message, hint));
    }
  }
  const node = nodes.get('default_uploads');
  const defaultUploads = new Map<string, readonly ExternalUploadRequest[]>();
  if (node !== undefined && node.kind !== 'map') {
    diagnostics.push(mistake('default_uploads must be a map of tenants, with * for all tenants', node.span));
  } else if (node !== undefined) {
    const names = written?.kind === 'map' ? [...written.entries.keys()] : [];
    for (const [tenant, { value }] of node.entries) {
      const read = readUploads(tenant, value, credentials, names);
      defaultUploads.set(tenant, read.uploads);
      diagnostics.push(...read.diagnostics);
    }
  }
  return { credentials, defaultUploads, diagnostics };
}

/**
 * Reads the uploads of one tenant.
 *
 * @param names of all credentials, including invalid ones
 * @returns no uploads if they have mistakes
 */
function readUploads(
  tenant: string,
  node: TreeNode,
  credentials: ReadonlyMap<string, Credential>,
  names: readonly string[],
): { readonly uploads: readonly ExternalUploadRequest[]; readonly diagnostics: readonly Diagnostic[] } {
  if (node.kind !== 'list' || node.items.length > MAX_UPLOADS) {
    const message = `default_uploads of a tenant must be a list of at most ${MAX_UPLOADS} destinations`;
    return { uploads: [], diagnostics: [mistake(message, node.span)] };
  }
  const diagnostics: Diagnostic[] = [];
  const uploads = node.items.flatMap((item) => readUpload(item, diagnostics) ?? []);
  if (diagnostics.length > 0) return { uploads: [], diagnostics };
  return { uploads, diagnostics: checkUploads(tenant as TenantId, node, uploads, credentials, names) };
}

function readUpload(item: TreeNode, diagnostics: Diagnostic[]): ExternalUploadRequest | null {
  if (item.kind !== 'map') {
    const message = 'A destination must have the form {to: s3://bucket/key, credential: name}';
    diagnostics.push(mistake(message, item.span));
    return null;
  }
  for (const [name, { keySpan }] of item.entries) {
    if (name === 'to' || name === 'credential') continue;
    const hint = didYouMean(name, ['to', 'credential']) ?? 'Its properties are "to" and "credential"';
    const message = `A destination has no property ${JSON.stringify(name)}`;
    diagnostics.push(errorAt('unknown_property', keySpan, message, hint));
  }
  const text = (name: string): string | null => {
    const node = item.entries.get(name)?.value ?? null;
    const found = textOf(node);
    if (found === null) diagnostics.push(mistake(`A destination needs ${name}, a string`, node?.span ?? item.span));
    return found;
  };
  const [to, credential] = [text('to'), text('credential')];
  return to === null || credential === null ? null : { to, credential };
}

function checkUploads(
  tenant: TenantId,
  node: TreeNode,
  uploads: readonly ExternalUploadRequest[],
  credentials: ReadonlyMap<string, Credential>,
  names: readonly string[],
): Diagnostic[] {
  const destinations = createDestinations({ credentials, isServer: true, env: {}, directory: '/' });
  const session = { ...LONGEST, output: { format: 'webm' } as const };
  return addDeliveries(session, uploads, tenant, destinations).problems.flatMap(({ code, pointer, detail }) => {
    const path = parseJsonPointer(pointer).slice(1);
    const named = uploads[Number(path[0])]?.credential ?? '';
    // The mistake of the credential itself has already been reported.
    if (code === 'unknown_credential' && !credentials.has(named) && names.includes(named)) return [];
    const isAnothers = code === 'unknown_credential' && credentials.has(named);
    const whose = tenant === '*' ? 'every tenant' : `the tenant ${tenant}`;
    const message = isAnothers ? `The credential ${named} cannot be used by ${whose}` : capitalised(detail);
    return [mistake(message, locateIn(node)(path, 'value').span)];
  });
}

function mistake(message: string, at: Span): Diagnostic {
  return errorAt('settings_invalid', at, message);
}

function capitalised(text: string): string {
  // A URL keeps its lower-case scheme.
  return /^\w+:/.test(text) ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
