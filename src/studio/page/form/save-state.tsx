import type { JSX } from 'preact';
import { IconButton } from '../controls/button.tsx';
import { redoLast, undoLast, useEdits } from '../edits.ts';

/** Shows whether edits are saved, with buttons that undo and redo the last edit. */
export function SaveState(): JSX.Element {
  const { undo, redo, isSaving, files } = useEdits();
  return (
    <>
      <p class="save-state" role="status">
        {isSaving ? 'Saving…' : files.length > 0 ? `Saved to ${files.join(', ')}` : 'Edits are saved as you type'}
      </p>
      <IconButton icon="undo" label="Undo" title="Undo (Ctrl Z)" disabled={undo.length === 0} onClick={undoLast} />
      <IconButton icon="redo" label="Redo" title="Redo" disabled={redo.length === 0} onClick={redoLast} />
    </>
  );
}
