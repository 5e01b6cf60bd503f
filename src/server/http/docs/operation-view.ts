import { codeBlock, escapeHtml, inlineHtml, paragraphs } from './html.ts';
import type { OpenApiDocument, OpenApiOperation, OpenApiSchemas } from './open-api-document.ts';
import { exampleOf } from './schema-example.ts';
import { fieldHtml, fieldsHtml, markOf, typeHtml } from './schema-view.ts';
import { showJson } from './show-json.ts';

/** An operation and where it is. */
export interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

export function operationsOf(document: OpenApiDocument): PlacedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** A path with its parameters set off. */
export function pathHtml(path: string): string {
  return escapeHtml(path)
    .replaceAll('/', '/<wbr>')
    .replaceAll(/\{(\w+)\}/g, '<em>{$1}</em>');
}

/** Everything about one operation: words and fields beside an example. */
export function operationHtml({ method, path, operation }: PlacedOperation, document: OpenApiDocument): string {
  const { schemas } = document.components;
  const scopes = (operation.security ?? [{}]).flatMap((one) => Object.values(one).flat());
  const access =
    scopes.length > 0 ? `Scope ${scopes.map((scope) => `<code>${escapeHtml(scope)}</code>`).join(' ')}` : 'No token';
  return `<article class="operation" id="${operation.operationId}">
<div class="words">
<h3><a href="#${operation.operationId}">${inlineHtml(operation.summary)}</a></h3>
<p class="call"><span class="method ${method.toLowerCase()}">${method}</span> <code>${pathHtml(path)}</code></p>
${operation.description === undefined ? '' : paragraphs(operation.description)}
<p class="access">${access}</p>
${parametersHtml(operation)}
${bodyHtml(operation)}
${answersHtml(operation)}
</div>
<div class="examples">
${codeBlock('Request', curl(method, path, operation, document), 'shell')}
${answerExample(operation, schemas)}
</div>
</article>`;
}

function parametersHtml({ parameters = [] }: OpenApiOperation): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map((one) => {
    const described = one.description === undefined ? one.schema : { ...one.schema, description: one.description };
    return fieldHtml(
      one.in === 'header' ? headerName(one.name) : one.name,
      described,
      markOf(one.required === true, true),
      one.in,
    );
  });
  return `<h4>Parameters</h4><ul class="fields">${rows.join('')}</ul>`;
}

function bodyHtml({ requestBody }: OpenApiOperation): string {
  if (requestBody === undefined) return '';
  const [[type, { schema = {} }] = ['', {}]] = Object.entries(requestBody.content);
  if (requestBody.required === false) return '<h4>Body</h4><p>None, or <code>{}</code>.</p>';
  if (type !== 'application/json') {
    const types = Object.keys(requestBody.content).map((one) => `<code>${escapeHtml(one)}</code>`);
    return `<h4>Body</h4><p>The bytes, as ${types.join(' or ')}.</p>`;
  }
  return `<h4>Body</h4><p>${typeHtml(schema)}</p>${fieldsHtml(schema)}`;
}

/** Headers that the page tells of once. */
const EVERYWHERE = new Set(['X-Request-Id', 'RateLimit', 'RateLimit-Policy']);

function answersHtml({ responses }: OpenApiOperation): string {
  const rows = Object.entries(responses).map(([status, { description, headers = {}, content = {} }]) => {
    const schema = content['application/json']?.schema;
    const names = Object.keys(headers).filter(
      (name) => !EVERYWHERE.has(name) || (status === '429' && name !== 'X-Request-Id'),
    );
    const shape = schema === undefined ? '' : shapeHtml(schema);
    const also =
      names.length === 0 ? '' : `<p class="also">${names.map((name) => `<code>${name}</code>`).join(' ')}</p>`;
    return `<tr><th scope="row"><span class="status s${status[0]}">${status}</span></th><td>${paragraphs(description)}${shape}${also}</td></tr>`;
  });
  return `<h4>Answers</h4><table class="answers"><tbody>${rows.join('')}</tbody></table>`;
}

/** `{ render_session: RenderSession }` */
function shapeHtml(schema: Parameters<typeof typeHtml>[0]): string {
  if (schema.properties === undefined)
    return schema.$ref === undefined ? '' : `<p class="shape">${typeHtml(schema)}</p>`;
  const fields = Object.entries(schema.properties).map(([name, field]) => `${escapeHtml(name)}: ${typeHtml(field)}`);
  return `<p class="shape">{ ${fields.join(', ')} }</p>`;
}

function curl(method: string, path: string, operation: OpenApiOperation, document: OpenApiDocument): string {
  const example = (name: string): string => {
    const parameter = operation.parameters?.find((one) => one.name === name);
    return String(parameter?.example ?? exampleOf(parameter?.schema ?? {}, document.components.schemas));
  };
  const { url } = document.servers[0]!;
  const query = (operation.parameters ?? []).filter((one) => one.in === 'query' && one.required === true);
  const queryText = query.map((one) => `${one.name}=${example(one.name)}`).join('&');
  const place = `${url === '/' ? '$REELFORM_URL' : url}${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => example(name))}`;
  const flag = method === 'GET' ? '' : method === 'HEAD' ? '-I ' : `-X ${method} `;
  const lines = [`curl ${flag}"${place}${queryText === '' ? '' : `?${queryText}`}"`];
  const isOpen = operation.security?.length === 0;
  if (!isOpen) lines.push('-H "Authorization: Bearer $REELFORM_TOKEN"');
  if (operation.parameters?.some((one) => one.name === 'idempotency-key'))
    lines.push('-H "Idempotency-Key: $(uuidgen)"');
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (type === 'application/json' && operation.requestBody?.required !== false) {
    const body = showJson(media?.example ?? exampleOf(media?.schema ?? {}, document.components.schemas));
    lines.push('-H "Content-Type: application/json"', `-d '${body}'`);
  } else if (type === 'application/zip') {
    lines.push('-H "Content-Type: application/zip"', '--data-binary @template.zip');
  } else if (type === 'application/octet-stream') {
    lines.push('-H "Content-Type: application/octet-stream"', '--data-binary @hero.jpg');
  }
  return lines.join(' \\\n  ');
}

function answerExample({ responses }: OpenApiOperation, schemas: OpenApiSchemas): string {
  const found = Object.entries(responses).find(
    ([status, { content }]) =>
      /^2/.test(status) &&
      content?.['application/json'] !== undefined &&
      !(status === '200' && responses['201'] !== undefined),
  );
  const schema = found?.[1].content?.['application/json']?.schema;
  if (found === undefined || schema === undefined || (schema.properties === undefined && schema.$ref === undefined))
    return '';
  return codeBlock(
    `Answer ${found[0]}`,
    showJson(found[1].content?.['application/json']?.example ?? exampleOf(schema, schemas)),
    'json',
  );
}

/** `idempotency-key` → `Idempotency-Key` */
function headerName(name: string): string {
  return name.replaceAll(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
}
