import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { LintMark, VideoCard, VideoDetail } from '../../protocol.ts';
import { ProblemList } from '../controls/problem-list.tsx';
import type { Loaded } from '../controls/use-request.ts';
import { navigate } from '../controls/use-route.ts';
import { VideoForm } from '../form/video-form.tsx';
import type { Panel } from '../route.ts';
import { IS_GALLERY } from '../server.ts';
import { ChangesPanel } from './changes-panel.tsx';
import { FindingsPanel } from './findings-panel.tsx';
import { HistoryPanel } from './history-panel.tsx';
import { SourcePanel } from './source-panel.tsx';

interface VideoPanelsProps {
  readonly card: VideoCard;
  readonly panel: Panel | null;
  readonly detail: Loaded<VideoDetail>;
  readonly lint: readonly LintMark[];
  readonly onFrame: (frame: number) => void;
}

interface Tab {
  readonly panel: Panel;
  readonly title: string;
  readonly count: number;
}

/** What is known of a video, in tabs beside its picture. */
export function VideoPanels({ card, panel, detail, lint, onFrame }: VideoPanelsProps): JSX.Element {
  const { value, error } = detail;
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
        {card.problems.length > 0 && current.panel !== 'source' && <ProblemList problems={card.problems} />}
        {error !== null && <p class="failures">{error.message}</p>}
        {value !== null && renderPanel(current.panel, value, lint, onFrame)}
      </div>
    </section>
  );
}

function renderPanel(
  panel: Panel,
  detail: VideoDetail,
  lint: readonly LintMark[],
  onFrame: (frame: number) => void,
): ComponentChildren {
  switch (panel) {
    case 'changes':
      return <ChangesPanel detail={detail} />;
    case 'findings':
      return <FindingsPanel lint={lint} onFrame={onFrame} />;
    case 'source':
      return <SourcePanel detail={detail} />;
    case 'history':
      return <HistoryPanel detail={detail} />;
    case 'edit':
      return <VideoForm detail={detail} lint={lint} onFrame={onFrame} />;
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
