import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { PreviewError } from '../../problem-protocol.ts';
import type { VideoCard } from '../../protocol.ts';
import { Choice } from '../controls/button.tsx';
import { Dialog } from '../controls/dialog.tsx';
import { errorOf } from '../controls/use-request.ts';
import { navigate } from '../controls/use-route.ts';
import { createVideo } from '../edits.ts';
import { usePage } from '../store.ts';
import { Refusal } from './control.tsx';

interface DialogProps {
  readonly onClose: () => void;
}

export function DuplicateDialog({ card, onClose }: DialogProps & { readonly card: VideoCard }): JSX.Element {
  return (
    <Dialog title={`Duplicate ${card.title}`} onClose={onClose}>
      <IdForm
        firstId={`${card.id}-copy`}
        button="Duplicate"
        create={(newId) => createVideo('duplicate', { id: card.id, newId })}
        onClose={onClose}
      />
    </Dialog>
  );
}

export function NewVideoDialog({ onClose }: DialogProps): JSX.Element {
  const templates = usePage(({ server }) => server?.templates);
  const [chosen, setTemplate] = useState<string | null>(null);
  const template = chosen ?? templates?.[0]?.name ?? '';
  return (
    <Dialog title="New video" onClose={onClose}>
      <Choice
        class="stacked"
        label="Template"
        value={template}
        options={(templates ?? []).map(({ name, title }) => [name, title === name ? name : `${title} (${name})`])}
        onChoose={setTemplate}
      />
      <IdForm
        key={template}
        firstId={`${template}/untitled`}
        button="Create"
        create={(id) => createVideo('new', { template, id })}
        onClose={onClose}
      />
    </Dialog>
  );
}

interface IdFormProps extends DialogProps {
  readonly firstId: string;
  readonly button: string;
  readonly create: (id: string) => Promise<unknown>;
}

/** Asks for the id of a video that is created, and goes to it. */
function IdForm({ firstId, button, create, onClose }: IdFormProps): JSX.Element {
  const field = useId();
  const [id, setId] = useState(firstId);
  const [error, setError] = useState<PreviewError | null>(null);
  const [isSending, setSending] = useState(false);
  return (
    <form
      class="id-form"
      onSubmit={async (event) => {
        event.preventDefault();
        setSending(true);
        try {
          await create(id.trim());
          onClose();
          navigate({ kind: 'video', id: id.trim(), panel: 'edit' });
        } catch (reason) {
          setError(errorOf(reason));
          setSending(false);
        }
      }}
    >
      <label class="stacked" for={field}>
        Id, which is also its path below the folder of videos
        <input
          id={field}
          type="text"
          required
          spellcheck={false}
          value={id}
          onInput={(event) => setId(event.currentTarget.value)}
        />
      </label>
      <Refusal error={error} />
      <div class="dialog-buttons">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={isSending || id.trim() === ''}>
          {button}
        </button>
      </div>
    </form>
  );
}
