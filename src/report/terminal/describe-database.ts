import { escapeControls } from '../wording/escape-controls.ts';

/** Which PostgreSQL a connection string names, without user, password and options. */
export function describeDatabase(url: string): string {
  const { host, pathname } = new URL(url);
  return escapeControls(`PostgreSQL, ${pathname.slice(1) || 'the default database'} at ${host || 'localhost'}`);
}
