import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { FieldKind, FormField, LintMark, VideoDetail } from '../../protocol.ts';
import { Icon } from '../controls/icon.tsx';
import { OpenLink } from '../controls/problem-list.tsx';
import { ColorControl } from './color-control.tsx';
import { type ControlProps, Refusal, type Save, TextLimit, textLimit, useSavedValue } from './control.tsx';
import { GradientControl } from './gradient-control.tsx';
import { MediaControl } from './media-control.tsx';

interface FieldControlProps {
  readonly field: FormField;
  readonly detail: VideoDetail;
  readonly lint: readonly LintMark[];
  /** Null if the field cannot be edited here. */
  readonly save: Save | null;
  readonly onFocus?: () => void;
}

/** An editable: its label, a control for its kind, its source location, and findings about it. */
export function FieldControl(props: FieldControlProps): JSX.Element {
  const { field, detail, lint, save, onFocus } = props;
  const id = useId();
  const { origin } = field;
  const Control = CONTROLS[field.kind];
  return (
    <div class={`field field-${field.kind}`} data-key={field.key} onFocusCapture={onFocus}>
      <div class="field-label">
        <label for={id}>{field.label}</label>
        {field.isRequired && field.value === null && <em>required</em>}
        <Origin field={field} />
      </div>
      {save === null ? (
        <output id={id}>{field.value ?? 'not filled'}</output>
      ) : (
        <Control field={field} id={id} save={save} detail={detail} />
      )}
      {save === null && (
        <p class="field-note">
          {origin.at === null
            ? 'Columns fill this value. Edit them in their rows.'
            : `Columns fill this value. Edit them in their rows, or the text in ${origin.at.path}, line ${origin.at.line}.`}
        </p>
      )}
      {[...field.problems, ...lint].map(({ code, severity, message }) => (
        <p key={`${code} ${message}`} class={`field-note ${severity}`}>
          <Icon name={severity} size={14} />
          {message}
        </p>
      ))}
    </div>
  );
}

type KindControl = (props: ControlProps & { readonly detail: VideoDetail }) => JSX.Element;

/** The control of each kind. */
const CONTROLS: Readonly<Record<FieldKind, KindControl>> = {
  text: TextControl,
  color: (props) => <ColorControl {...props} otherColors={otherColors(props)} />,
  number: (props) => <NumberControl {...props} kind="number" />,
  point: (props) => <NumberControl {...props} kind="point" />,
  gradient: GradientControl,
  image: MediaControl,
  video: MediaControl,
  audio: MediaControl,
  font: FontControl,
};

function otherColors({ field, detail }: Parameters<KindControl>[0]): readonly FormField[] {
  return detail.form.filter(({ kind, key }) => kind === 'color' && key !== field.key);
}

/** A line that grows with its text, the number of code points and the text of the template. */
function TextControl({ field, id, save }: ControlProps): JSX.Element {
  const { value, error, change, flush } = useSavedValue(field.value ?? '', (text) =>
    save(text === '' && !field.isRequired ? null : text),
  );
  const limit = textLimit(value, field.maxLength);
  return (
    <>
      <div class={limit.isTooLong ? 'text is-too-long' : 'text'}>
        <textarea
          id={id}
          rows={1}
          dir="auto"
          value={value}
          placeholder={field.example ?? ''}
          aria-invalid={limit.isTooLong || error !== null}
          aria-describedby={`${id}-length`}
          onInput={(event) => change(event.currentTarget.value)}
          onBlur={flush}
        />
        <TextLimit id={`${id}-length`} limit={limit} />
      </div>
      <Refusal error={error} />
    </>
  );
}

function FontControl({ field, id, save }: ControlProps): JSX.Element {
  const { value, error, commit } = useSavedValue(field.value ?? '', (font) => save(font === '' ? null : font));
  return (
    <>
      <select id={id} value={value} onChange={(event) => commit(event.currentTarget.value)}>
        {!field.isRequired && <option value="">{field.example ?? 'Font of the template'}</option>}
        {field.fonts.map((font) => (
          <option key={font} value={font}>
            {font}
          </option>
        ))}
      </select>
      <Refusal error={error} />
    </>
  );
}

/** File and line of the value. A value of a fragment is shared, so an edit overrides it for this video alone. */
function Origin({ field: { origin, cell, key } }: { readonly field: FormField }): JSX.Element | null {
  if (origin.at === null) return null;
  const name = origin.at.path.split('/').at(-1)!;
  const label =
    origin.kind === 'fragment'
      ? `shared, from ${name}`
      : origin.kind === 'row'
        ? `${cell?.column ?? `line ${origin.at.line}`} in ${name}`
        : `line ${origin.at.line}`;
  return <OpenLink at={origin.at} label={key === 'title' ? name : label} />;
}

/** The coordinates of a point, or the value of a number. */
const NAMES = { number: [''], point: ['x', 'y'] } as const;

interface NumberControlProps extends ControlProps {
  readonly kind: keyof typeof NAMES;
}

/** An input for a number, two for a point. An empty input keeps the template's number. */
function NumberControl({ field, id, save, kind }: NumberControlProps): JSX.Element {
  const { value, error, change, flush } = useSavedValue(field.value ?? '', (text) => save(text === '' ? null : text));
  const numbers = partsOf(value);
  const exampleNumbers = partsOf(field.example ?? '');
  const set = (index: number, text: string): void => {
    const changed = NAMES[kind].map((_, at) => (at === index ? text : (numbers[at] ?? '')));
    const isEmpty = changed.every((number) => number === '');
    change(
      isEmpty ? '' : changed.map((number, at) => (number === '' ? (exampleNumbers[at] ?? '0') : number)).join(', '),
    );
  };
  return (
    <>
      <div class="numbers">
        {NAMES[kind].map((name, index) => (
          <label key={name}>
            {name !== '' && <span>{name}</span>}
            <input
              id={index === 0 ? id : undefined}
              type="number"
              step="any"
              aria-label={name === '' ? undefined : `${field.label}: ${name}`}
              value={numbers[index] ?? ''}
              placeholder={exampleNumbers[index] ?? ''}
              aria-invalid={error !== null}
              onInput={(event) => set(index, event.currentTarget.value)}
              onBlur={flush}
            />
          </label>
        ))}
      </div>
      <Refusal error={error} />
    </>
  );
}

function partsOf(text: string): string[] {
  return text === '' ? [] : text.split(',').map((part) => part.trim());
}
