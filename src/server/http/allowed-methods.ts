import type { FastifyInstance } from 'fastify';

/** Tells which methods a path has. To be called before the first route. */
export function watchMethods(app: FastifyInstance): (path: string) => string[] {
  const routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = url
      .split(/(:\w+)/)
      .map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')))
      .join('');
    routes.push({ pattern: new RegExp(`^${pattern}$`), methods: [method].flat() });
  });
  return (path) => [...new Set(routes.flatMap(({ pattern, methods }) => (pattern.test(path) ? methods : [])))].sort();
}
