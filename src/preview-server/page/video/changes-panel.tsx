import type { JSX } from 'preact';
import type { VideoCard, VideoDetail } from '../../protocol.ts';
import { parseColor } from '../color.ts';
import { spell } from '../wording.ts';

/** What changed since the lock entry, and why the plan wants to render it. */
export function ChangesPanel({ detail }: { readonly detail: VideoDetail }): JSX.Element {
  const { card, inputs, fields } = detail;
  const rows = [
    ...inputs.map((input) => ({
      ...input,
      name: input.label ?? input.key,
      code: input.label === null ? null : input.key,
    })),
    ...fields.map(({ field, before, after }) => ({ name: spell(field), code: null, kind: null, before, after })),
  ];
  if (card.state === 'new') {
    return <p class="calm">This video is new: it is not in the lockfile yet.</p>;
  }
  if (rows.length === 0) return <p class="calm">{noRowsReason(card)}</p>;
  return (
    <>
      {card.reason !== null && <p class="reason">{spell(card.reason)}</p>}
      <dl class="differences">
        {rows.map(({ name, code, kind, before, after }) => (
          <div key={`${name} ${code}`}>
            <dt>
              {name}
              {code !== null && <code>{code}</code>}
            </dt>
            <dd class="before-value">
              <del>
                <span class="hidden">Before: </span>
                <Value text={before} kind={kind} />
              </del>
            </dd>
            <dd class="after-value">
              <ins>
                <span class="hidden">After: </span>
                <Value text={after} kind={kind} />
              </ins>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function noRowsReason({ state, action, reason }: VideoCard): string {
  if (action !== null) return `${spell(action)}${reason === null ? '' : `: ${spell(reason)}`}.`;
  if (state === 'up_to_date') return 'Nothing has changed since the video was rendered.';
  return 'Changes are listed once the errors of the repository are mended.';
}

function Value({ text, kind }: { readonly text: string | null; readonly kind: string | null }): JSX.Element {
  if (text === null) return <i>not filled</i>;
  const color = kind === 'color' ? parseColor(text) : null;
  return (
    <>
      {color !== null && <span class="swatch" style={{ background: text.startsWith('#') ? text : `#${text}` }} />}
      {text.replace(/^sha256:(.{12}).*/, 'content $1')}
    </>
  );
}
