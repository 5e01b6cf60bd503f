import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSoundMeasures, type SoundMeasures } from '../../contract/wire/loudness.ts';
import type { KeptSound } from '../../engine/lint/heard-sounds.ts';
import type { KeptFrame } from '../../engine/lint/measured-frames.ts';
import type { LintFinding } from '../../engine/lint-finding.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { isRecord } from '../../kernel/json.ts';
import { templatesOf, type Video } from '../../reconciler/definition/video.ts';
import { contentKey } from '../../reconciler/plan/desired-video.ts';
import { type Plan, rendersNew } from '../../reconciler/plan/plan.ts';
import { LINT_FILE } from '../../reconciler/project/repository-layout.ts';
import { writeFileAtomic } from '../../reconciler/project/write-file.ts';
import { keptFrame, keptSound } from '../../service/sessions/processes/check-answer.ts';
import { cacheKey } from '../global-options.ts';

/** Number of the most recent videos whose findings are kept. */
const MAX_VIDEOS = 20_000;
/** Number of the most recent measured frames that are kept: those of about 60 videos, in less than a megabyte. */
const MAX_FRAMES = 2_000;

/** Number of the most recent measured sounds that are kept, in less than a megabyte. */
const MAX_SOUNDS = 5_000;

/** Findings by content, safe areas and ids of scenes, measured frames by templates and key, measured sounds by key, and measured mixes by content. */
interface Remembered {
  readonly found: Map<string, readonly LintFinding[]>;
  readonly frames: Map<string, FrameOf>;
  readonly sounds: Map<string, KeptSound>;
  readonly mixes: Map<string, SoundMeasures>;
}

interface FrameOf {
  readonly templates: string;
  readonly frame: KeptFrame;
}

/** What lint found in earlier runs, so that unchanged videos are not linted again, and unchanged frames not measured again. */
export interface LintCache {
  keys(): string[];
  get(key: string): readonly LintFinding[] | undefined;
  set(key: string, findings: readonly LintFinding[]): void;
  /** Returns the measured frames of videos of the same templates. */
  framesOf(video: Video): KeptFrame[];
  addFrames(video: Video, frames: readonly KeptFrame[]): void;
  /** Returns the measured sounds. A sound counts for every video, because its key is a digest of the sound alone. */
  sounds(): KeptSound[];
  addSounds(sounds: readonly KeptSound[]): void;
  /** Returns what was measured of the mix of a video. @param content see `contentKey` */
  mixOf(content: string): SoundMeasures | undefined;
  setMix(content: string, mix: SoundMeasures | null): void;
  /** Stores everything for the next run. Does nothing in a read-only checkout. */
  store(): Promise<void>;
}

/**
 * Opens the cache. What another version of this program has found is ignored, because this one may find something else.
 *
 * @param reads false to start empty
 */
export function openLintCache(root: string, reads: boolean): LintCache {
  const path = join(root, LINT_FILE);
  const { found, frames, sounds, mixes } = reads ? readCache(path) : emptyCache();
  let isChanged = false;
  return {
    keys: () => [...found.keys()],
    get: (key) => found.get(key),
    set(key, findings) {
      found.delete(key);
      found.set(key, findings);
      isChanged = true;
    },
    framesOf(video) {
      const templates = namesOf(video);
      return [...frames.values()].flatMap((known) => (known.templates === templates ? [known.frame] : []));
    },
    addFrames(video, measured) {
      const templates = namesOf(video);
      for (const frame of measured) {
        // A frame counts for its templates alone, so that no template can affect the findings of another.
        const key = `${templates} ${frame.key}`;
        frames.delete(key);
        frames.set(key, { templates, frame });
      }
    },
    sounds: () => [...sounds.values()],
    addSounds(heard) {
      for (const sound of heard) {
        sounds.delete(sound.key);
        sounds.set(sound.key, sound);
      }
    },
    mixOf: (content) => mixes.get(content),
    setMix(content, mix) {
      mixes.delete(content);
      if (mix !== null) mixes.set(content, mix);
    },
    async store() {
      if (!isChanged) return;
      const stored = {
        build: cacheKey(),
        found: Object.fromEntries([...found].slice(-MAX_VIDEOS)),
        frames: [...frames.values()].slice(-MAX_FRAMES),
        sounds: [...sounds.values()].slice(-MAX_SOUNDS),
        mixes: Object.fromEntries([...mixes].slice(-MAX_VIDEOS)),
      };
      await writeFileAtomic(path, `${JSON.stringify(stored)}\n`).catch((error) => {
        if (!(error instanceof ReelformError)) throw error;
      });
    },
  };
}

/** Returns what earlier runs have measured of the mixes of the videos that a plan renders, by id. */
export function measuredMixes(root: string, { changes }: Pick<Plan, 'changes'>): Map<string, SoundMeasures> {
  const cache = openLintCache(root, true);
  return new Map(
    changes.filter(rendersNew).flatMap(({ id, desired }) => {
      const mix = desired === null ? undefined : cache.mixOf(contentKey(desired));
      return mix === undefined ? [] : [[id, mix]];
    }),
  );
}

function namesOf(video: Video): string {
  return templatesOf(video).join(' ');
}

/** An unreadable file counts as an empty cache. */
function readCache(path: string): Remembered {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (
      isRecord(value) &&
      value.build === cacheKey() &&
      isRecord(value.found) &&
      Array.isArray(value.frames) &&
      Array.isArray(value.sounds)
    ) {
      const entries = Object.entries(value.found).filter(([, findings]) => Array.isArray(findings));
      const frames = value.frames.map((item: unknown): [string, FrameOf] => {
        const { templates, frame } = item as { readonly templates: unknown; readonly frame: unknown };
        const checked = keptFrame(frame);
        return [`${templates} ${checked.key}`, { templates: String(templates), frame: checked }];
      });
      const sounds = value.sounds.map((sound) => keptSound(sound));
      // Absent in older files.
      const mixes = Object.entries(isRecord(value.mixes) ? value.mixes : {});
      return {
        found: new Map(entries as [string, LintFinding[]][]),
        frames: new Map(frames),
        sounds: new Map(sounds.map((sound) => [sound.key, sound])),
        mixes: new Map(mixes.flatMap(([content, mix]) => (isSoundMeasures(mix) ? [[content, mix]] : []))),
      };
    }
  } catch {
    // Missing or damaged.
  }
  return emptyCache();
}

function emptyCache(): Remembered {
  return { found: new Map(), frames: new Map(), sounds: new Map(), mixes: new Map() };
}
