import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { DraftState, PictureMeasures } from '../../protocol.ts';
import { notify, notifyError } from '../controls/notices.tsx';
import { fetchJson, IS_GALLERY } from '../server.ts';
import { currentState, dispatch, usePage } from '../store.ts';
import { DraftPlayer } from './draft-player.ts';

export interface Player {
  readonly container: RefObject<HTMLDivElement | null>;
  readonly isPlaying: boolean;
  readonly isWaiting: boolean;
  readonly isMuted: boolean;
  readonly toggle: () => void;
  /** Plays the frames of a range; `end` is exclusive. */
  readonly playRange: (first: number, end: number) => void;
  readonly stop: () => void;
  readonly toggleMuted: () => void;
}

interface PlayerOptions {
  readonly fingerprint: string;
  readonly picture: PictureMeasures | null;
  readonly frame: number;
  readonly onFrame: (frame: number) => void;
}

/** Plays the draft of a video. Content that changes while it plays continues at the same moment with the new draft. */
export function usePlayer({ fingerprint, picture, frame, onFrame }: PlayerOptions): Player {
  const container = useRef<HTMLDivElement>(null);
  const player = useRef<DraftPlayer | null>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [isWaiting, setWaiting] = useState(false);
  const [isMuted, setMuted] = useState(() => localStorage.getItem('reelform-muted') === 'true');
  const draft = usePage(({ drafts }) => drafts[fingerprint] ?? null);
  const latest = useRef({ frame, onFrame });
  latest.current = { frame, onFrame };
  // Where a range ends, and how often one was begun: the same range can be played again.
  const rangeEnd = useRef<number | null>(null);
  const [ranges, setRanges] = useState(0);

  useEffect(() => {
    if (!isPlaying || picture === null) return;
    const last = picture.frameCount - 1;
    const stop = (): void => setPlaying(false);
    const until = rangeEnd.current;
    rangeEnd.current = null;
    const start = latest.current.frame >= last ? 0 : latest.current.frame / picture.fps;
    const current = new DraftPlayer(container.current!, start, {
      fingerprint,
      isMuted,
      onTime: (seconds) => {
        const shown = Math.min(last, Math.round(seconds * picture.fps));
        latest.current.onFrame(until === null ? shown : Math.min(shown, until - 1));
        if (until !== null && shown >= until - 1) stop();
      },
      onWaiting: setWaiting,
      onEnd: () => {
        latest.current.onFrame(last);
        stop();
      },
      onError: (message) => {
        notify('The draft cannot be played.', { detail: message, isError: true });
        stop();
      },
    });
    player.current = current;
    const known = currentState().drafts[fingerprint];
    if (known !== undefined) current.update(known);
    if (known?.segments.every(({ isReady }) => isReady) !== true) {
      fetchJson<DraftState>(`draft/${encodeURIComponent(fingerprint)}`).then(
        (state) => dispatch({ kind: 'draft', event: { fingerprint, state } }),
        (error: unknown) => {
          notifyError(error);
          stop();
        },
      );
    }
    return () => {
      current.dispose();
      player.current = null;
      setWaiting(false);
    };
  }, [isPlaying, fingerprint, ranges]);

  useEffect(() => {
    if (draft !== null) player.current?.update(draft);
  }, [draft]);

  return {
    container,
    isPlaying,
    isWaiting: isPlaying && isWaiting,
    isMuted,
    toggle: () => !IS_GALLERY && picture !== null && setPlaying(!isPlaying),
    playRange(first, end) {
      if (IS_GALLERY || picture === null) return;
      rangeEnd.current = end;
      latest.current.onFrame(first);
      setRanges(ranges + 1);
      setPlaying(true);
    },
    stop: () => setPlaying(false),
    toggleMuted: () => {
      localStorage.setItem('reelform-muted', String(!isMuted));
      player.current?.setMuted(!isMuted);
      setMuted(!isMuted);
    },
  };
}
