import { isRecord } from '../json.ts';
import type { CreateRenderSession, RenderSession } from '../wire/render-session.ts';

/** Something that a session does not have as it was asked for. Values as JSON; null where there is none. */
export interface SessionDifference {
  /**
   * `title`, `template_style_version_id`, an editable's key, `audio_tracks.` and the name of a track, `font_changes.` and that
   * of a font, or `output`.
   */
  readonly field: string;
  readonly asked: string | null;
  readonly found: string | null;
}

/**
 * In what a session is not the one that a request asked for: its title, its template, what fills each editable, its tracks,
 * fonts and output. What a service adds to a value (ids, defaults) is no difference; one that answers without its mapping
 * shows nothing.
 *
 * @param body the JSON of a `CreateRenderSession`
 */
export function sessionDifferences(body: string, session: RenderSession): SessionDifference[] {
  const asked = JSON.parse(body) as CreateRenderSession;
  // An answer is what it is, whatever the types say.
  const mapping: Partial<RenderSession['mapping']> = isRecord(session.mapping) ? session.mapping : {};
  const resources = recordOf(mapping.resources);
  const fields: Pair[] = [
    ['title', asked.title, session.title],
    ['template_style_version_id', asked.mapping.template_style_version_id, mapping.template_style_version_id],
    ...members('', asked.mapping.resources, resources),
    ...(['audio_tracks', 'font_changes'] as const).flatMap((name) => {
      // Told in the mapping, beside it, or in both.
      const found = { ...recordOf(session[name]), ...recordOf(mapping[name]) };
      return members(`${name}.`, asked.mapping[name] ?? {}, found);
    }),
    // A service may say how it makes what nobody asked for.
    ...(asked.output === undefined ? [] : [['output', asked.output, session.output] satisfies Pair]),
  ];
  return fields
    .filter(([, wanted, found]) => wanted === undefined || !holds(found, wanted))
    .map(([field, wanted, found]) => ({ field, asked: show(wanted), found: show(found) }));
}

type Pair = [field: string, asked: unknown, found: unknown];

/** What either of two records has. */
function members(prefix: string, asked: object, found: object): Pair[] {
  const keys = new Set([...Object.keys(asked), ...Object.keys(found)]);
  return [...keys].map((key) => [`${prefix}${key}`, memberOf(asked, key), memberOf(found, key)]);
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
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
