import { escapeHtml, inlineHtml, paragraphs } from './html.ts';
import { TOPICS } from './introduction.ts';
import type { OpenApiDocument } from './open-api-document.ts';
import { operationHtml, operationsOf, type PlacedOperation } from './operation-view.ts';
import { PAGE_STYLE } from './page-style.ts';
import { fieldsHtml } from './schema-view.ts';

export type Codes = Readonly<Record<string, readonly [status: number, meaning: string]>>;

/**
 * The reference of the API as one page of HTML: no script, nothing to load. Everything about the calls comes from the
 * document.
 */
export function apiPage(document: OpenApiDocument, codes: Codes): string {
  const { title, version, description } = document.info;
  // What HEAD answers is what GET answers without its body.
  const operations = operationsOf(document).filter(({ method }) => method !== 'HEAD');
  const groups = document.tags.map((tag) => ({
    ...tag,
    id: tag.name.toLowerCase().replaceAll(' ', '-'),
    operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<nav aria-label="Contents"><input type="checkbox" id="contents"><label for="contents">Contents</label>
${navHtml(groups, document)}</nav>
<main id="content">
<header><h1>${escapeHtml(title)}</h1>
${paragraphs(description)}
<p class="facts"><span>Version ${escapeHtml(version)}</span> <a href="openapi.json">OpenAPI 3.1</a></p></header>
${TOPICS.map(
  ({ id, title: name, words, example }) =>
    `<section class="topic" id="${id}"><div class="words"><h2><a href="#${id}">${name}</a></h2>${words}</div><div class="examples">${example}</div></section>`,
).join('\n')}
${groups
  .map(
    (group) =>
      `<section id="${group.id}"><div class="group"><h2><a href="#${group.id}">${escapeHtml(group.name)}</a></h2><p>${inlineHtml(group.description)}</p></div>
${group.operations.map((operation) => operationHtml(operation, document)).join('\n')}</section>`,
  )
  .join('\n')}
${objectsHtml(document)}
${codesHtml(codes)}
</main>
</body>
</html>
`;
}

function navHtml(
  groups: readonly { id: string; name: string; operations: readonly PlacedOperation[] }[],
  document: OpenApiDocument,
): string {
  const link = (id: string, text: string, mark = ''): string =>
    `<li><a href="#${id}"><span>${inlineHtml(text)}</span>${mark}</a></li>`;
  const lists = [
    ...TOPICS.map(({ id, title }) => link(id, title)),
    ...groups.map(
      ({ id, name, operations }) =>
        `<li class="group"><a href="#${id}">${escapeHtml(name)}</a><ul>${operations
          .map(({ method, operation }) =>
            link(operation.operationId, operation.summary, `<b class="method ${method.toLowerCase()}">${method}</b>`),
          )
          .join('')}</ul></li>`,
    ),
    `<li class="group"><a href="#objects">Objects</a><ul>${Object.keys(document.components.schemas)
      .map((name) => link(name, name))
      .join('')}</ul></li>`,
    link('codes', 'Error codes'),
  ];
  return `<ul>${lists.join('\n')}</ul>`;
}

function objectsHtml(document: OpenApiDocument): string {
  const objects = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `<article class="object" id="${name}"><h3><a href="#${name}">${name}</a></h3>${paragraphs(schema.description ?? '')}${fieldsHtml(schema)}</article>`,
  );
  return `<section id="objects"><div class="group"><h2><a href="#objects">Objects</a></h2><p>What stands in bodies. Fields may be added in later versions.</p></div>${objects.join('\n')}</section>`;
}

function codesHtml(codes: Codes): string {
  const rows = Object.entries(codes).map(
    ([code, [status, meaning]]) =>
      `<tr id="${code}"><th scope="row"><code>${code}</code></th><td><span class="status s${String(status)[0]}">${status}</span></td><td>${inlineHtml(meaning)}</td></tr>`,
  );
  return `<section id="codes"><div class="group"><h2><a href="#codes">Error codes</a></h2><p>The <code>code</code> of a problem.</p></div><table class="codes"><tbody>${rows.join('')}</tbody></table></section>`;
}
