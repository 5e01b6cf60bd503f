import { FIRST_VIEW, GROUPINGS, type ListView, SORT_ORDERS, STATES } from './video-list.ts';

/** Sections of a video's panel. */
export type Panel = 'edit' | 'changes' | 'findings' | 'source' | 'history';

/** The view on the page; the part of its address after `#`. */
export type PageRoute =
  | { readonly kind: 'wall'; readonly view: ListView }
  | { readonly kind: 'video'; readonly id: string; readonly panel: Panel | null }
  | { readonly kind: 'template'; readonly name: string }
  | { readonly kind: 'rows'; readonly path: string }
  /** Languages of a definition, of its first row or of another. */
  | { readonly kind: 'languages'; readonly definition: string; readonly row: string }
  | { readonly kind: 'plan' };

const PANELS: readonly Panel[] = ['edit', 'changes', 'findings', 'source', 'history'];

/** Parses an address; anything unknown is the wall. */
export function parseRoute(hash: string): PageRoute {
  const [path = '', search = ''] = hash.replace(/^#/, '').split('?');
  const parameters = new URLSearchParams(search);
  const [, kind = '', ...names] = path.split('/');
  const name = names.map(decode).join('/');
  if (kind === 'video' && name !== '') {
    const panel = PANELS.find((name) => name === parameters.get('panel')) ?? null;
    return { kind: 'video', id: name, panel };
  }
  if (kind === 'template' && name !== '') return { kind: 'template', name };
  if (kind === 'rows' && name !== '') return { kind: 'rows', path: name };
  if (kind === 'languages' && name !== '') return { kind, definition: name, row: parameters.get('row') ?? '' };
  if (kind === 'plan') return { kind: 'plan' };
  return {
    kind: 'wall',
    view: {
      query: parameters.get('q') ?? '',
      states: STATES.filter((state) => (parameters.get('state') ?? '').split(',').includes(state)),
      sort: SORT_ORDERS.find((sort) => sort === parameters.get('sort')) ?? FIRST_VIEW.sort,
      grouping: GROUPINGS.find((grouping) => grouping === parameters.get('group')) ?? FIRST_VIEW.grouping,
    },
  };
}

/** The inverse of `parseRoute`. */
export function formatRoute(route: PageRoute): string {
  switch (route.kind) {
    case 'video':
      return `#/video/${encodePath(route.id)}${route.panel === null ? '' : `?panel=${route.panel}`}`;
    case 'template':
      return `#/template/${encodePath(route.name)}`;
    case 'rows':
      return `#/rows/${encodePath(route.path)}`;
    case 'languages':
      return `#/languages/${encodePath(route.definition)}${route.row === '' ? '' : `?${new URLSearchParams({ row: route.row })}`}`;
    case 'plan':
      return '#/plan';
    case 'wall': {
      const { query, states, sort, grouping } = route.view;
      const parameters = new URLSearchParams();
      if (query !== '') parameters.set('q', query);
      if (states.length > 0) parameters.set('state', states.join(','));
      if (sort !== FIRST_VIEW.sort) parameters.set('sort', sort);
      if (grouping !== FIRST_VIEW.grouping) parameters.set('group', grouping);
      return parameters.size === 0 ? '#/' : `#/?${parameters}`;
    }
  }
}

/** Encodes the names of a path and keeps its slashes. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
