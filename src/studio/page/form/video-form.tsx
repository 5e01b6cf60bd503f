import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { FormField, LintMark, VideoCard, VideoDetail } from '../../protocol.ts';
import { Icon } from '../controls/icon.tsx';
import { Still } from '../controls/still.tsx';
import { saveFields, saveRows } from '../edits.ts';
import { formatRoute } from '../route.ts';
import { formatClock, spell } from '../wording.ts';
import type { Save } from './control.tsx';
import { FieldControl } from './field-control.tsx';
import { SaveState } from './save-state.tsx';
import { DuplicateDialog } from './video-dialogs.tsx';

interface VideoFormProps {
  readonly detail: VideoDetail;
  readonly lint: readonly LintMark[];
  readonly onFrame: (frame: number) => void;
}

/** The editables of a video, grouped by the frame on which each is best seen. Edits are written to the files at once. */
export function VideoForm({ detail, lint, onFrame }: VideoFormProps): JSX.Element {
  const { card, form, row } = detail;
  const [isDuplicating, setDuplicating] = useState(false);
  const groups = groupsOf(form);
  return (
    <>
      <div class="form-bar">
        <SaveState />
        {row === null ? (
          <button type="button" onClick={() => setDuplicating(true)}>
            <Icon name="copy" size={14} /> Duplicate
          </button>
        ) : (
          <a class="button" href={formatRoute({ kind: 'rows', path: row.path })}>
            <Icon name="table" size={14} /> All rows
          </a>
        )}
      </div>
      <form class="form" onSubmit={(event) => event.preventDefault()} autocomplete="off">
        {row !== null && (
          <p class="form-note">
            Values from columns belong to this row of {row.path}. All others, and how a picture or sound is cropped,
            placed and mixed, apply to every row.
          </p>
        )}
        {row === null && (
          <FieldControl field={titleField(card)} detail={detail} lint={[]} save={saveValue(detail, ['title'])} />
        )}
        {groups.map((fields) => {
          const { scene, frame } = fields[0]!;
          const rows = detail.scenes.find(({ id }) => id === scene)?.written?.rows ?? null;
          const still = detail.stills.find((candidate) => candidate.frame === frame)?.name ?? null;
          return (
            <fieldset key={`${scene} ${frame}`} class="form-group" data-scene={scene}>
              <legend>
                <button type="button" class="form-still" onClick={() => onFrame(frame)}>
                  {card.picture !== null && <Still fingerprint={card.fingerprint} frame={frame} width={96} />}
                  <span class={scene === null ? 'form-still-name' : undefined}>
                    {scene ?? spell(still ?? `frame ${frame}`)}
                    {card.picture !== null && <small>{formatClock(frame / card.picture.fps)}</small>}
                  </span>
                </button>
                {rows !== null && (
                  <a class="button" href={formatRoute({ kind: 'rows', path: rows })}>
                    <Icon name="table" size={14} /> All rows
                  </a>
                )}
              </legend>
              {fields.map((field) => (
                <FieldControl
                  key={field.key}
                  field={field}
                  detail={detail}
                  lint={lint.filter(({ editable }) => editable === nameOf(field))}
                  save={saverOf(detail, field)}
                  onFocus={() => onFrame(field.frame)}
                />
              ))}
            </fieldset>
          );
        })}
      </form>
      {isDuplicating && <DuplicateDialog card={card} onClose={() => setDuplicating(false)} />}
    </>
  );
}

/** Groups the fields of a scene that are best seen on the same frame, in the order of the frames. */
function groupsOf(form: readonly FormField[]): FormField[][] {
  const groups = new Map<string, FormField[]>();
  for (const field of form.toSorted((a, b) => a.frame - b.frame)) {
    const key = `${field.scene} ${field.frame}`;
    groups.set(key, [...(groups.get(key) ?? []), field]);
  }
  return [...groups.values()];
}

/** Name of a value in findings: in a video of several scenes, that of its scene is in front. */
function nameOf({ scene, key }: FormField): string {
  return scene === null ? key : `${scene}.${key}`;
}

/** How a field is written; null if it cannot be edited here. */
function saverOf(detail: VideoDetail, { isEditable, cell, path }: FormField): Save | null {
  if (!isEditable) return null;
  if (cell === null) return saveValue(detail, path);
  const { path: file, row, column } = cell;
  return (value) => saveRows({ path: file, cells: [{ row, column, value: value ?? '' }] });
}

function saveValue({ card }: VideoDetail, path: readonly string[]): Save {
  return (value) => saveFields({ id: card.id, changes: [{ path, value }] });
}

function titleField(card: VideoCard): FormField {
  return {
    key: 'title',
    scene: null,
    path: ['title'],
    label: 'Title',
    kind: 'text',
    isRequired: true,
    maxLength: null,
    width: null,
    height: null,
    fonts: [],
    frame: card.posterFrame,
    value: card.title,
    transform: {},
    example: null,
    origin: { kind: 'own', at: null },
    cell: null,
    isEditable: true,
    problems: [],
  };
}
