import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { SceneListRequest } from '../../edit-protocol.ts';
import type { VideoCard, VideoDetail } from '../../protocol.ts';
import type { SceneBlock } from '../../timeline-protocol.ts';
import { Choice, IconButton } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { notifyError } from '../controls/notices.tsx';
import { saveLength, saveScenes } from '../edits.ts';
import { Refusal, useSavedValue } from '../form/control.tsx';
import { formatRoute } from '../route.ts';
import { usePage } from '../store.ts';

interface SceneBarProps {
  readonly card: VideoCard;
  readonly detail: VideoDetail;
  readonly scene: SceneBlock;
}

/** What is known of the current scene, and what can be done with it. */
export function SceneBar({ card, detail, scene }: SceneBarProps): JSX.Element {
  const { written } = scene;
  // Those of values are beside their fields.
  const ofFields = new Set(detail.form.flatMap((field) => field.problems.map((problem) => JSON.stringify(problem))));
  const problems = scene.problems.filter((problem) => !ofFields.has(JSON.stringify(problem)));
  const last = Math.max(...detail.scenes.map((other) => other.written?.index ?? -1));
  const change = (edit: SceneListRequest['edit']): void => void saveScenes({ id: card.id, edit }).catch(notifyError);
  const move = (by: number): void => change({ kind: 'move', from: written!.index, to: written!.index + by });
  return (
    <div class="scene-bar">
      <p class="scene-name">
        <b>{scene.id}</b>
        <a class="template-link" href={formatRoute({ kind: 'template', name: scene.template })}>
          {scene.template}
        </a>
        <small>{scene.why}</small>
      </p>
      {written !== null && !written.isEach && <LengthControl key={scene.id} card={card} scene={scene} />}
      {written !== null && (
        <div class="scene-buttons">
          <IconButton icon="previous" label="Move earlier" disabled={written.index === 0} onClick={() => move(-1)} />
          <IconButton icon="next" label="Move later" disabled={written.index >= last} onClick={() => move(1)} />
          <IconButton
            icon="remove"
            label={`Remove ${scene.id}`}
            title={written.isEach ? 'Removes the scene of all rows' : undefined}
            disabled={detail.scenes.length === 1}
            onClick={() => change({ kind: 'remove', index: written.index })}
          />
          <AddScene onAdd={(template) => change({ kind: 'add', index: written.index + 1, template })} />
        </div>
      )}
      {written?.isEach && (
        <p class="scene-where">
          This scene is a row{written.rows === null ? '' : ' of '}
          {written.rows !== null && <a href={formatRoute({ kind: 'rows', path: written.rows })}>{written.rows}</a>}.
          What is changed here applies to all rows; their values are below.
        </p>
      )}
      {written === null && (
        <p class="scene-where">This scene is in a file that the definition extends: edit it there.</p>
      )}
      {problems.map(({ code, severity, message }) => (
        <p key={`${code} ${message}`} class={`field-note ${severity}`}>
          <Icon name={severity} size={14} />
          {message}
        </p>
      ))}
    </div>
  );
}

function LengthControl({ card, scene }: { readonly card: VideoCard; readonly scene: SceneBlock }): JSX.Element {
  const { fps } = card.picture!;
  const shown = String(Number(scene.seconds.toFixed(3)));
  const { value, error, change, flush } = useSavedValue(shown, async (text: string) => {
    const seconds = Number(text);
    if (Number.isFinite(seconds) && seconds > 0) await saveLength(card, scene, seconds);
  });
  return (
    <div class="scene-length">
      <label>
        Seconds
        <input
          type="number"
          min={1 / fps}
          step="any"
          value={value}
          onInput={(event) => change(event.currentTarget.value)}
          onBlur={flush}
        />
      </label>
      {scene.duration !== null && (
        <button type="button" onClick={() => saveLength(card, scene, null).catch(notifyError)}>
          As designed
        </button>
      )}
      <Refusal error={error} />
    </div>
  );
}

function AddScene({ onAdd }: { readonly onAdd: (template: string) => void }): JSX.Element {
  const templates = usePage(({ server }) => server?.templates) ?? [];
  const [template, setTemplate] = useState('');
  const chosen = template === '' ? (templates[0]?.name ?? '') : template;
  return (
    <span class="scene-add">
      <Choice
        label="Template"
        value={chosen}
        options={templates.map(({ name, title }) => [name, title])}
        onChoose={setTemplate}
      />
      <IconButton icon="plus" label="Add a scene after this" disabled={chosen === ''} onClick={() => onAdd(chosen)} />
    </span>
  );
}
