import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { code, sentence, table } from './markdown.ts';

/** The parts of a JSON Schema that the tables show. */
interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly definitions?: Readonly<Record<string, Schema>>;
}

interface Row {
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** Tables of the documented file formats, from their JSON Schemas. */
export async function schemaSections(root: string): Promise<Map<string, string>> {
  const read = async (name: string) =>
    JSON.parse(await readFile(join(root, 'schemas', `${name}.schema.json`), 'utf8')) as Schema;
  const definition = await read('launch');
  return new Map([
    ['schema/config', fieldTable(await read('reelform-config'))],
    ['schema/definition', fieldTable(withoutTemplate(definition))],
    ['schema/lock', fieldTable(await read('reelform-lock'))],
    ['schema/plan', fieldTable(await read('reelform-plan'))],
    ['schema/preview', fieldTable(await read('reelform-preview'))],
    ['schema/events', eventTables(await read('reelform-events'))],
  ]);
}

/** Removes the fields that a single template adds. */
function withoutTemplate(schema: Schema): Schema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    if (name === 'template')
      return [name, { type: 'string', description: 'The name of a template in reelform.yaml. Required.' }];
    const { description = '', type } = property;
    if (['scenes', 'variants', 'locales'].includes(name)) return [name, { type, description }];
    return [name, ['resources', 'fonts', 'audio'].includes(name) ? { type: 'object', description } : property];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

function fieldTable(schema: Schema): string {
  return table(['field', 'type', 'meaning'], rowsOf(schema, schema, '').map(cells));
}

function cells({ path, schema, isRequired }: Row): string[] {
  const range =
    schema.minimum !== undefined && schema.maximum !== undefined
      ? ` From ${formatNumber(schema.minimum)} to ${formatNumber(schema.maximum)}.`
      : '';
  const fallback = schema.default === undefined ? '' : ` Default: ${code(JSON.stringify(schema.default))}.`;
  const required = isRequired ? ' Required.' : '';
  return [code(path), typeOf(schema), `${sentence(schema.description ?? '')}${range}${fallback}${required}`];
}

function formatNumber(value: number): string {
  return value.toLocaleString('en');
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return code(String(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(', ');
  const alternatives = [schema.then, schema.else, ...(schema.anyOf ?? [])].filter((one) => one !== undefined);
  if (schema.type === undefined) return [...new Set(alternatives.map(typeOf))].filter(Boolean).join(' or ');
  return [schema.type].flat().join(' or ');
}

/** Flattens an object: `estimate.cost.amount`, `changes[].id`, `templates.<name>`. */
function rowsOf(schema: Schema, root: Schema, prefix: string): Row[] {
  const resolved = resolve(schema, root);
  const own = Object.entries(resolved.properties ?? {}).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const target = resolve(property, root);
    const isRequired = prefix === '' && resolved.required?.includes(name) === true;
    return [{ path, schema: { ...target, ...property }, isRequired }, ...inside(target, root, path)];
  });
  return unique([...own, ...branches(resolved).flatMap((one) => rowsOf(one, root, prefix))]);
}

function inside(schema: Schema, root: Schema, path: string): Row[] {
  const { additionalProperties: extra, items } = schema;
  const rows = rowsOf(schema, root, `${path}.`);
  if (items !== undefined) rows.push(...rowsOf(items, root, `${path}[].`));
  if (typeof extra === 'object') rows.push(...rowsOf(extra, root, `${path}.<name>.`));
  for (const one of branches(schema)) rows.push(...inside(resolve(one, root), root, path));
  return unique(rows);
}

function branches(schema: Schema): Schema[] {
  return [schema.then, schema.else, ...(schema.anyOf ?? []), ...(schema.allOf ?? [])].filter(
    (one) => one !== undefined,
  );
}

function resolve(schema: Schema, root: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = root.definitions?.[schema.$ref.replace('#/definitions/', '')];
  if (found === undefined) throw new Error(`Unknown reference ${schema.$ref}`);
  return found;
}

function unique(rows: readonly Row[]): Row[] {
  return [...new Map(rows.toReversed().map((row) => [row.path, row])).values()].toReversed();
}

/** One table for each event. */
function eventTables(schema: Schema): string {
  const events = (schema.allOf ?? []).flatMap(({ if: condition, then }) => {
    const types = condition?.properties?.type;
    const names = types?.enum ?? (types?.const === undefined ? [] : [types.const]);
    return then === undefined || names.length !== 1 ? [] : [{ name: String(names[0]), then }];
  });
  return events
    .map(({ name, then }) => {
      const rows = rowsOf(then, schema, '').filter(({ path }) => path !== 'type');
      const about = then.description === undefined ? '' : `${sentence(then.description)}\n\n`;
      return `### \`${name}\`\n\n${about}${rows.length === 0 ? '' : table(['field', 'type', 'meaning'], rows.map(cells))}`;
    })
    .join('\n\n');
}
