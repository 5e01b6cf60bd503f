import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { LintMark, VideoCard, VideoDetail } from '../../protocol.ts';
import { parseRgba } from '../color.ts';
import { Icon } from '../controls/icon.tsx';
import { ProblemList } from '../controls/problem-list.tsx';
import type { Loaded } from '../controls/use-request.ts';
import { navigate } from '../controls/use-route.ts';
import { VideoForm } from '../form/video-form.tsx';
import type { Panel } from '../route.ts';
import { IS_GALLERY } from '../server.ts';
import { formatBytes, formatClock, formatDate, spell } from '../wording.ts';
import { SourcePanel } from './source-panel.tsx';

interface VideoPanelsProps {
  readonly card: VideoCard;
  readonly panel: Panel | null;
  readonly detail: Loaded<VideoDetail>;
  readonly findings: Loaded<readonly LintMark[]>;
  readonly onFrame: (frame: number) => void;
}

interface Tab {
  readonly panel: Panel;
  readonly title: string;
  readonly count: number;
}

/** What is known of a video, in tabs beside its picture. */
export function VideoPanels({ card, panel, detail, findings, onFrame }: VideoPanelsProps): JSX.Element {
  const { value, error } = detail;
  const lint = findings.value ?? [];
  // Content that was edited meanwhile is checked again, and that of a service or with errors is not drawn here.
  const undrawn = ['gone', 'not_found'].includes(findings.error?.code ?? '') ? null : findings.error;
  const changes = (value?.inputs.length ?? 0) + (value?.fields.length ?? 0);
  const tabs: readonly Tab[] = [
    ...(IS_GALLERY ? [] : [{ panel: 'edit' as const, title: 'Edit', count: 0 }]),
    { panel: 'changes', title: 'Changes', count: changes },
    ...(IS_GALLERY && lint.length === 0 ? [] : [{ panel: 'findings' as const, title: 'Findings', count: lint.length }]),
    { panel: 'source', title: 'Source', count: 0 },
    { panel: 'history', title: 'History', count: 0 },
  ];
  // A gallery is opened to see the finished videos.
  const first = IS_GALLERY && card.finished !== null ? tabs.at(-1)! : tabs[0]!;
  const current = tabs.find((tab) => tab.panel === panel) ?? first;
  // The form has the problems of its fields beside them.
  const besideFields = current.panel === 'edit' ? (value?.form ?? []).flatMap((field) => field.problems) : [];
  const marked = new Set(besideFields.map((problem) => JSON.stringify(problem)));
  const problems = card.problems.filter((problem) => !marked.has(JSON.stringify(problem)));
  return (
    <section class="panels" aria-label="Details">
      <TabList tabs={tabs} current={current} id={card.id} />
      <div
        role="tabpanel"
        id={`panel-${current.panel}`}
        aria-labelledby={`tab-${current.panel}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the panel.
        tabIndex={0}
        class="panel"
      >
        {card.failures.length > 0 && (
          <div class="failures" role="alert">
            <h2>The last render failed</h2>
            {card.failures.map((failure) => (
              <p key={failure.message}>
                {failure.message}
                {failure.hint !== null && <small>{failure.hint}</small>}
              </p>
            ))}
          </div>
        )}
        {problems.length > 0 && current.panel !== 'source' && <ProblemList problems={problems} />}
        {error !== null && <p class="failures">{error.message}</p>}
        {card.failures.length === 0 && undrawn !== null && <p class="failures">{undrawn.message}</p>}
        {value !== null && renderPanel(current.panel, value, findings, onFrame)}
      </div>
    </section>
  );
}

function renderPanel(
  panel: Panel,
  detail: VideoDetail,
  findings: Loaded<readonly LintMark[]>,
  onFrame: (frame: number) => void,
): ComponentChildren {
  switch (panel) {
    case 'changes':
      return <ChangesPanel detail={detail} />;
    case 'findings':
      return <FindingsPanel findings={findings} onFrame={onFrame} />;
    case 'source':
      return <SourcePanel detail={detail} />;
    case 'history':
      return <HistoryPanel detail={detail} />;
    case 'edit':
      return <VideoForm detail={detail} lint={findings.value ?? []} onFrame={onFrame} />;
  }
}

interface TabListProps {
  readonly tabs: readonly Tab[];
  readonly current: Tab;
  readonly id: string;
}

/** @see WAI-ARIA Authoring Practices, tabs pattern with automatic activation */
function TabList({ tabs, current, id }: TabListProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const show = (panel: Panel): void => navigate({ kind: 'video', id, panel }, { replace: true });
  const move = (event: KeyboardEvent, step: number): void => {
    event.preventDefault();
    const target = tabs[(tabs.indexOf(current) + step + tabs.length) % tabs.length]!;
    show(target.panel);
    list.current?.querySelector<HTMLElement>(`#tab-${target.panel}`)?.focus();
  };
  return (
    <div
      class="tabs"
      role="tablist"
      tabIndex={-1}
      ref={list}
      onKeyDown={(event) => {
        if (event.key === 'ArrowRight') move(event, 1);
        else if (event.key === 'ArrowLeft') move(event, -1);
      }}
    >
      {tabs.map((tab) => (
        <button
          key={tab.panel}
          id={`tab-${tab.panel}`}
          type="button"
          role="tab"
          aria-selected={tab === current}
          aria-controls={`panel-${tab.panel}`}
          tabIndex={tab === current ? 0 : -1}
          onClick={() => show(tab.panel)}
        >
          {tab.title}
          {tab.count > 0 && <b>{tab.count}</b>}
        </button>
      ))}
    </div>
  );
}

/** What changed since the lock entry, and why the plan wants to render it. */
function ChangesPanel({ detail }: { readonly detail: VideoDetail }): JSX.Element {
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
  const color = kind === 'color' ? parseRgba(text) : null;
  return (
    <>
      {color !== null && <span class="swatch" style={{ background: text.startsWith('#') ? text : `#${text}` }} />}
      {text.replace(/^sha256:(.{12}).*/, 'content $1')}
    </>
  );
}

/** Visible defects; a click goes to the moment. */
function FindingsPanel({ findings, onFrame }: Pick<VideoPanelsProps, 'findings' | 'onFrame'>): JSX.Element {
  const { value: lint, error } = findings;
  if (error !== null) return <p class="calm">The video could not be checked.</p>;
  if (lint === null) return <p class="calm">Checking…</p>;
  if (lint.length === 0) {
    return (
      <p class="calm">
        No findings: every text fits, is readable and has all its letters, and every image is large enough.
      </p>
    );
  }
  return (
    <ul class="findings">
      {lint.map((mark) => (
        <li key={`${mark.code} ${mark.editable} ${mark.frame}`}>
          <button type="button" class={mark.severity} onClick={() => onFrame(mark.frame)}>
            <Icon name={mark.severity === 'error' ? 'error' : 'warning'} />
            <span>
              <span class="hidden">{mark.severity}: </span>
              {mark.message}
              {mark.hint !== null && <small>{mark.hint}</small>}
            </span>
            <time>{formatClock(mark.seconds)}</time>
          </button>
        </li>
      ))}
    </ul>
  );
}

const PLAYABLE = ['mp4', 'webm', 'mov'];

/** The finished file and earlier renderings. */
function HistoryPanel({ detail }: { readonly detail: VideoDetail }): JSX.Element {
  const { card, history } = detail;
  const { finished } = card;
  return (
    <>
      {finished === null ? (
        <p class="calm">There is no finished file.</p>
      ) : finished.isPointer ? (
        <p class="calm">The finished file is a Git LFS pointer. Run git lfs pull to fetch its content.</p>
      ) : (
        <figure class="finished">
          {PLAYABLE.includes(finished.extension) ? (
            // biome-ignore lint/a11y/useMediaCaption: rendered videos have no captions.
            <video controls preload="metadata" src={finished.url} aria-label={`Finished file of ${card.title}`} />
          ) : (
            <img src={finished.url} alt={`Finished file of ${card.title}`} loading="lazy" />
          )}
          <figcaption>
            <a href={finished.url} download={`${card.id.replaceAll('/', '-')}.${finished.extension}`}>
              {finished.extension.toUpperCase()}
              {finished.bytes !== null && `, ${formatBytes(finished.bytes)}`}
            </a>
            <span>{formatDate(finished.renderedAt)}</span>
            {finished.deliveries.map((delivery) => (
              <code key={delivery}>{delivery}</code>
            ))}
          </figcaption>
        </figure>
      )}
      {history.length > 0 && (
        <ol class="history">
          {history.map(({ renderedAt, commit, title }) => (
            <li key={`${renderedAt} ${commit}`}>
              <time dateTime={renderedAt}>{formatDate(renderedAt)}</time>
              <span>{title}</span>
              {commit !== null && <code>{commit.slice(0, 8)}</code>}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
