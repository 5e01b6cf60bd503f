import { isRecord } from '../is-record.ts';
import type { CreateRenderSession, RenderSession } from '../service/wire.ts';

/** Something that a session does not have as it was asked for. Values as JSON; null where there is none. */
export interface SessionDifference {
  /** `title`, `template_style_version_id`, or an editable's key. */
  readonly field: string;
  readonly asked: string | null;
  readonly found: string | null;
}

/**
 * In what a session is not the one that a request asked for: its title, its template, what fills each editable. What a
 * service adds to a value (ids, defaults) is no difference; one that answers without its mapping shows nothing.
 *
 * @param body the JSON of a `CreateRenderSession`
 */
export function sessionDifferences(body: string, session: RenderSession): SessionDifference[] {
  const asked = JSON.parse(body) as CreateRenderSession;
  // An answer is what it is, whatever the types say.
  const mapping: Partial<RenderSession['mapping']> = isRecord(session.mapping) ? session.mapping : {};
  const resources: Readonly<Record<string, unknown>> = isRecord(mapping.resources) ? mapping.resources : {};
  const fields: [field: string, asked: unknown, found: unknown][] = [
    ['title', asked.title, session.title],
    ['template_style_version_id', asked.mapping.template_style_version_id, mapping.template_style_version_id],
    ...[...new Set([...Object.keys(asked.mapping.resources), ...Object.keys(resources)])].map(
      (key): [string, unknown, unknown] => [key, memberOf(asked.mapping.resources, key), memberOf(resources, key)],
    ),
  ];
  return fields
    .filter(([, wanted, found]) => wanted === undefined || !holds(found, wanted))
    .map(([field, wanted, found]) => ({ field, asked: show(wanted), found: show(found) }));
}

function memberOf(record: object, key: string): unknown {
  return Object.hasOwn(record, key) ? (record as Record<string, unknown>)[key] : undefined;
}

/** Whether a value says all that another one says. */
function holds(found: unknown, wanted: unknown): boolean {
  if (!isRecord(wanted)) return JSON.stringify(found) === JSON.stringify(wanted);
  return isRecord(found) && Object.entries(wanted).every(([key, value]) => holds(memberOf(found, key), value));
}

function show(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
