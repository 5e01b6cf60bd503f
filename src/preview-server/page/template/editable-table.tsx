import type { JSX } from 'preact';
import type { FormField, TemplateDetail } from '../../protocol.ts';
import { parseColor } from '../color.ts';
import { cssGradient, parseGradient } from '../gradient.ts';

/** The slots of a template: what a definition fills, and with what. */
export function EditableTable({
  detail,
  onFrame,
}: {
  readonly detail: TemplateDetail;
  readonly onFrame: (frame: number) => void;
}): JSX.Element {
  return (
    <>
      <h2>Editables</h2>
      <ul class="editables">
        {detail.editables.map((field) => (
          <li key={field.key}>
            <button type="button" onClick={() => onFrame(field.frame)} title="Show it">
              {field.label}
            </button>
            <code>{field.key}</code>
            <span class="editable-rule">{ruleOf(field)}</span>
            <Example field={field} />
          </li>
        ))}
      </ul>
      {detail.fonts.length > 0 && (
        <>
          <h2>Fonts</h2>
          <p class="calm">{detail.fonts.join(', ')}</p>
        </>
      )}
      {detail.files.length > 0 && (
        <>
          <h2>Files</h2>
          <ul class="template-files">
            {detail.files.map((file) => (
              <li key={file}>
                <code>{file}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function ruleOf({ kind, isRequired, maxLength, width, height }: FormField): string {
  return [
    kind,
    isRequired ? 'required' : 'optional',
    ...(maxLength === null ? [] : [`up to ${maxLength} characters`]),
    ...(width === null || height === null ? [] : [`${width} × ${height}`]),
  ].join(', ');
}

function Example({ field }: { readonly field: FormField }): JSX.Element | null {
  const text = field.value ?? field.example;
  if (text === null) return null;
  const isColor = field.kind === 'color' && parseColor(text) !== null;
  const stops = field.kind === 'gradient' ? parseGradient(text) : null;
  return (
    <span class="editable-example" dir="auto">
      {stops !== null && <span class="swatch" style={{ background: cssGradient(stops) }} />}
      {isColor && <span class="swatch" style={{ background: text.startsWith('#') ? text : `#${text}` }} />}
      {text}
    </span>
  );
}
