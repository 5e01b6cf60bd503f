import { join } from 'node:path';
import type { DesiredVideo } from '../plan/desired-video.ts';
import { findSuspects, type Suspects } from './find-suspects.ts';
import { IndexFile } from './index-file.ts';
import type { Memory } from './memory.ts';
import { type Desire, refreshMemory } from './refresh-memory.ts';
import { readRecord } from './remember-project.ts';
import type { RememberedDefinition } from './remembered-definition.ts';
import { makeStamp, type Stamp } from './stamp.ts';
import { recallMemory, storeMemory } from './store-memory.ts';

/** Where the index lies, repository-relative. */
export const INDEX_FILE = '.reelform/plan.idx';

/** An index that was opened, and what does not look as it says. */
export interface Looked {
  readonly index: IndexFile;
  readonly suspects: Suspects;
}

/**
 * Opens the index of a repository and looks at everything that was read. EDGE.
 *
 * @param key of this program: what another one wrote is not believed
 * @returns null where there is none to be believed
 */
export function lookAtIndex(root: string, key: string): Looked | null {
  const index = IndexFile.open(join(root, INDEX_FILE), key);
  return index && { index, suspects: findSuspects(root, index.head) };
}

/**
 * What is remembered of a repository while a command is at work. EDGE. It is given up as soon as anything in the index
 * is not as it was written.
 */
export class PlanMemory {
  readonly stamp: Stamp;
  readonly #root: string;
  readonly #key: string;
  readonly #looked: Looked | null;
  #stored: Memory | null;
  #memory: Memory | null;

  private constructor(root: string, key: string, stamp: Stamp, looked: Looked | null) {
    this.#root = root;
    this.#key = key;
    this.stamp = stamp;
    this.#looked = looked;
    this.#stored = looked && recallMemory(looked.index);
    this.#memory = this.#stored;
  }

  /** @returns null where nothing can be written, so nothing is remembered */
  static open(root: string, key: string, looked: Looked | null): PlanMemory | null {
    const stamp = makeStamp(join(root, '.reelform'));
    return stamp && new PlanMemory(root, key, stamp, looked);
  }

  get memory(): Memory | null {
    return this.#memory;
  }

  /** Remembers something else. */
  set memory(memory: Memory | null) {
    this.#memory = memory;
  }

  /** Brings what is remembered up to date; `memory` is null then when everything has to be read. */
  async refresh(desire: Desire): Promise<void> {
    if (this.#memory === null || this.#looked === null) return;
    const { suspects } = this.#looked;
    if (suspects.files.length === 0 && suspects.folders.length === 0 && !suspects.isElsewhere) return;
    this.#memory = await refreshMemory(this.#root, this.#memory, suspects, { stamp: this.stamp, desire });
  }

  /**
   * The videos of a definition.
   *
   * @throws RecordLost
   */
  videos({ record }: RememberedDefinition): DesiredVideo[] {
    const text = typeof record === 'string' ? record : (this.#looked?.index.record(record) ?? null);
    if (text === null) throw new RecordLost();
    return readRecord(text);
  }

  /**
   * Writes what is remembered, unless that is what the index says. A few changes that still have to be applied are not
   * worth it: they are read again, and what comes of them is written when they are.
   */
  store(): void {
    const memory = this.#memory;
    if (memory === null || memory === this.#stored || this.#isPassing(memory)) return;
    storeMemory(join(this.#root, INDEX_FILE), this.#key, memory, this.#looked?.index ?? null);
    this.#stored = memory;
  }

  #isPassing({ outcome, definitions }: Memory): boolean {
    if (outcome === null || outcome.isEmpty || this.#stored?.outcome == null || this.#looked === null) return false;
    const { files, folders } = this.#looked.suspects;
    return (
      outcome.lock?.sha256 === this.#stored.outcome.lock?.sha256 &&
      definitions.newCount + files.length + folders.length <= FEW
    );
  }
}

const FEW = 16;

/** A video in the index is not as it was written. */
export class RecordLost extends Error {}
