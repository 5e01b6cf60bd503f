import type { DraftEvent, DraftState, PreviewState, RunEvent, StateChange, VideoCard } from '../protocol.ts';

/** `static`: a gallery without a server. */
type Connection = 'connecting' | 'live' | 'lost' | 'static';

/** State of the repository, as the server last sent it. */
export interface PageState {
  /** Null until the first answer. */
  readonly server: PreviewState | null;
  readonly connection: Connection;
  /** Drafts that were requested, by fingerprint. */
  readonly drafts: Readonly<Record<string, DraftState>>;
}

export type PageMessage =
  | { readonly kind: 'loaded'; readonly state: PreviewState }
  | { readonly kind: 'change'; readonly change: StateChange }
  | { readonly kind: 'run'; readonly event: RunEvent }
  | { readonly kind: 'draft'; readonly event: DraftEvent }
  | { readonly kind: 'connection'; readonly connection: Connection };

export const FIRST_STATE: PageState = { server: null, connection: 'connecting', drafts: {} };

/** Returns the state after a message. A change that is older than the state has no effect. */
export function reduceState(state: PageState, message: PageMessage): PageState {
  switch (message.kind) {
    case 'loaded':
      return { ...state, server: message.state };
    case 'change':
      if (state.server === null || message.change.revision <= state.server.revision) return state;
      return { ...state, server: applyChange(state.server, message.change) };
    case 'run':
      return state.server === null ? state : { ...state, server: applyRun(state.server, message.event) };
    case 'draft':
      return { ...state, drafts: { ...state.drafts, [message.event.fingerprint]: message.event.state } };
    case 'connection':
      return state.connection === message.connection ? state : { ...state, connection: message.connection };
  }
}

function applyChange(server: PreviewState, change: StateChange): PreviewState {
  const { videos, removedVideos, ...fields } = change;
  if (videos === undefined && removedVideos === undefined) return { ...server, ...fields };
  const cards = new Map(server.videos.map((card) => [card.id, card]));
  for (const id of removedVideos ?? []) cards.delete(id);
  for (const card of videos ?? []) cards.set(card.id, card);
  return { ...server, ...fields, videos: [...cards.values()].sort(byId) };
}

function applyRun(server: PreviewState, event: RunEvent): PreviewState {
  if (event.kind === 'run') return { ...server, run: event.run };
  const videos = server.videos.map((card) =>
    card.id === event.id ? { ...card, state: 'running' as const, progress: event.progress } : card,
  );
  return { ...server, videos };
}

function byId(a: VideoCard, b: VideoCard): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
