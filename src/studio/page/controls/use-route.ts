import { useEffect, useState } from 'preact/hooks';
import { formatRoute, type PageRoute, parseRoute } from '../route.ts';

/** The route of the page's address. */
export function useRoute(): PageRoute {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const listener = (): void => setHash(location.hash);
    addEventListener('hashchange', listener);
    return () => removeEventListener('hashchange', listener);
  }, []);
  return parseRoute(hash);
}

/** Goes to a route. `replace` adds no entry to the browser's history, for routes that change with each key press. */
export function navigate(route: PageRoute, { replace = false }: { readonly replace?: boolean } = {}): void {
  const hash = formatRoute(route);
  if (!replace) {
    location.hash = hash;
    return;
  }
  history.replaceState(null, '', hash);
  dispatchEvent(new HashChangeEvent('hashchange'));
}
