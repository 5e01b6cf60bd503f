import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Notices } from './controls/notices.tsx';
import { ShortcutHelp, useShortcuts } from './controls/shortcuts.tsx';
import { useRoute } from './controls/use-route.ts';
import { RowsView } from './form/rows-view.tsx';
import { LanguagesView } from './languages/languages-view.tsx';
import { PlanView } from './plan/plan-view.tsx';
import { usePage } from './store.ts';
import { TemplateView } from './template/template-view.tsx';
import { TopBar } from './top-bar.tsx';
import { VideoView } from './video/video-view.tsx';
import { Wall } from './wall/wall.tsx';

export function App(): JSX.Element {
  const route = useRoute();
  const hasState = usePage(({ server }) => server !== null);
  const name = usePage(({ server }) => server?.name ?? '');
  const [isHelpOpen, setHelpOpen] = useState(false);
  const subject = route.kind === 'wall' ? '' : route.kind === 'video' ? route.id : route.kind;
  useEffect(() => {
    document.title = [subject, name, 'Reelform'].filter((part) => part !== '').join(' · ');
  }, [subject, name]);
  useMainFocus(`${route.kind} ${subject}`);
  useShortcuts({ '?': () => setHelpOpen(true) });
  return (
    <>
      <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>('#main')?.focus()}>
        Skip to the content
      </button>
      <TopBar route={route} onHelp={() => setHelpOpen(true)} />
      <main id="main" class={`view-${route.kind}`} tabIndex={-1}>
        {hasState ? <View /> : <Waiting />}
      </main>
      <Notices />
      {isHelpOpen && <ShortcutHelp onClose={() => setHelpOpen(false)} />}
    </>
  );
}

function View(): JSX.Element {
  const route = useRoute();
  switch (route.kind) {
    case 'video':
      return <VideoView key={route.id} id={route.id} panel={route.panel} />;
    case 'template':
      return <TemplateView key={route.name} name={route.name} />;
    case 'plan':
      return <PlanView />;
    case 'languages':
      return <LanguagesView key={route.definition} definition={route.definition} row={route.row} />;
    case 'rows':
      return <RowsView key={route.path} path={route.path} />;
    case 'wall':
      return <Wall view={route.view} />;
  }
}

function Waiting(): JSX.Element {
  const isLost = usePage(({ connection }) => connection === 'lost');
  return (
    <p class="empty" role="status">
      {isLost
        ? 'The preview server does not answer. Start reelform preview again and open the URL that it prints.'
        : 'Loading…'}
    </p>
  );
}

/** Moves the focus to the content after a change of the view, as a page load does. */
function useMainFocus(view: string): void {
  const last = useRef(view);
  useEffect(() => {
    if (last.current === view) return;
    last.current = view;
    scrollTo(0, 0);
    document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
  }, [view]);
}
