import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { PreviewProblem } from '../../problem-protocol.ts';
import type { FormField, TemplateCard, TemplateDetail, TextVariant } from '../../protocol.ts';
import { cssGradient, parseRgba, parseStops } from '../color.ts';
import { BackLink, Choice } from '../controls/button.tsx';
import { ProblemList } from '../controls/problem-list.tsx';
import { Still } from '../controls/still.tsx';
import { useRequest } from '../controls/use-request.ts';
import { navigate } from '../controls/use-route.ts';
import { formatRoute } from '../route.ts';
import { fetchJson, IS_GALLERY } from '../server.ts';
import { usePage } from '../store.ts';
import { ScrubBar } from '../video/scrub-bar.tsx';
import { Stage } from '../video/stage.tsx';
import { FIRST_VIEW } from '../video-list.ts';
import { count, formatClock, formatLength, spell } from '../wording.ts';

const VARIANTS: readonly { readonly variant: TextVariant; readonly name: string; readonly meaning: string }[] = [
  { variant: 'example', name: 'Example', meaning: 'the template’s own texts' },
  { variant: 'longest', name: 'Longest', meaning: 'texts as long as allowed' },
  { variant: 'empty', name: 'Empty', meaning: 'optional texts left out' },
  { variant: 'rtl', name: 'Right to left', meaning: 'Arabic and Hebrew' },
];

export function TemplateView({ name }: { readonly name: string }): JSX.Element {
  const templates = usePage(({ server }) => server?.templates ?? []);
  const card = templates.find((template) => template.name === name);
  if (card === undefined) return <p class="empty">There is no template {name}.</p>;
  return (
    <>
      <header class="page-header">
        <BackLink />
        <h1>{card.title}</h1>
        <p>
          {card.folder !== null && <code>{card.folder}</code>}
          {card.picture !== null &&
            ` ${card.picture.width} × ${card.picture.height}, ${formatLength(card.picture.durationSeconds)}, ${Number(card.picture.fps.toFixed(2))} fps`}
        </p>
        <a class="button" href={formatRoute({ kind: 'wall', view: { ...FIRST_VIEW, query: name } })}>
          {count(card.videoCount, 'video')}
        </a>
        {templates.length > 1 && (
          <Choice
            label="Template"
            value={name}
            options={templates.map((template) => [template.name, template.title])}
            onChoose={(chosen) => navigate({ kind: 'template', name: chosen })}
          />
        )}
      </header>
      <Template card={card} />
    </>
  );
}

function Template({ card }: { readonly card: TemplateCard }): JSX.Element {
  const detail = useRequest(card.name, card, () => fetchJson<TemplateDetail>('template', { name: card.name }));
  const check = useRequest(IS_GALLERY ? null : card.name, card, () =>
    fetchJson<PreviewProblem[]>('template-check', { name: card.name }),
  );
  const [variant, setVariant] = useState<TextVariant>('example');
  const [chosenFrame, setFrame] = useState(card.posterFrame);
  const { picture, fingerprints } = card;
  const stills = detail.value?.stills ?? [];
  const problems = [...card.problems, ...(check.value ?? [])];
  const frame = Math.min(chosenFrame, (picture?.frameCount ?? 1) - 1);
  const isPortrait = picture !== null && picture.height > picture.width;
  return (
    <div class={isPortrait ? 'template is-portrait' : 'template'}>
      {picture === null || fingerprints === null ? (
        <p class="empty">Only the service has this template, so that it cannot be drawn here.</p>
      ) : (
        <section class="template-pictures" aria-label="Pictures">
          <div class="template-stage">
            <Stage
              card={{ ...card, fingerprint: fingerprints[variant], beforeFingerprint: null, picture }}
              frame={frame}
              comparison="off"
              marks={[]}
            />
          </div>
          {!IS_GALLERY && (
            <ScrubBar
              card={{ fingerprint: fingerprints[variant], picture }}
              frame={frame}
              stills={stills}
              segments={[]}
              marks={[]}
              onFrame={setFrame}
            />
          )}
          <table class="matrix">
            <thead>
              <tr>
                <th scope="col">Texts</th>
                {stills.map((still) => (
                  <th key={still.name} scope="col">
                    {spell(still.name)} <span>{formatClock(still.frame / picture.fps)}</span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {VARIANTS.slice(0, IS_GALLERY ? 1 : undefined).map((row) => (
                <tr key={row.variant}>
                  <th scope="row">
                    {row.name}
                    <small>{row.meaning}</small>
                  </th>
                  {stills.map((still) => (
                    <td key={still.name}>
                      <button
                        type="button"
                        aria-label={`${row.name}, ${spell(still.name)}`}
                        aria-pressed={row.variant === variant && still.frame === frame}
                        style={{ aspectRatio: `${picture.width} / ${picture.height}` }}
                        onClick={() => {
                          setVariant(row.variant);
                          setFrame(still.frame);
                        }}
                      >
                        <Still fingerprint={fingerprints[row.variant]} frame={still.frame} width={240} isCut />
                      </button>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <section class="template-facts" aria-label="Template">
        {detail.value?.description != null && <p class="lead">{detail.value.description}</p>}
        {detail.error !== null && <p class="failures">{detail.error.message}</p>}
        {(problems.length > 0 || !IS_GALLERY) && <h2>Check</h2>}
        {problems.length > 0 && <ProblemList problems={problems} />}
        {problems.length === 0 && !IS_GALLERY && (
          <p class="calm">
            {check.value === null && check.error === null ? 'Checking…' : (check.error?.message ?? 'Nothing to mend.')}
          </p>
        )}
        {detail.value !== null && <EditableTable detail={detail.value} onFrame={setFrame} />}
      </section>
    </div>
  );
}

interface EditableTableProps {
  readonly detail: TemplateDetail;
  readonly onFrame: (frame: number) => void;
}

/** The slots of a template: what a definition fills, and with what. */
function EditableTable({ detail, onFrame }: EditableTableProps): JSX.Element {
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
  const isColor = field.kind === 'color' && parseRgba(text) !== null;
  const stops = field.kind === 'gradient' ? parseStops(text) : null;
  return (
    <span class="editable-example" dir="auto">
      {stops !== null && <span class="swatch" style={{ background: cssGradient(stops) }} />}
      {isColor && <span class="swatch" style={{ background: text.startsWith('#') ? text : `#${text}` }} />}
      {text}
    </span>
  );
}
