import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReelformError } from '../../diagnostic.ts';
import type { LintFinding } from '../../engine/lint/lint-finding.ts';
import { isRecord } from '../../json.ts';
import type { Fingerprint } from '../../lock/lock.ts';
import { writeFileAtomic } from '../../project/write-file.ts';

/** What was found of videos by their fingerprints: what has not changed need not be looked at again. */
export interface LintMemory {
  get(fingerprint: Fingerprint): readonly LintFinding[] | undefined;
  set(fingerprint: Fingerprint, findings: readonly LintFinding[]): void;
  /** Keeps it for the next run, where that can be written: a checkout that is only read is looked at all the same. */
  store(): Promise<void>;
}

const FILE = join('.reelform', 'lint.json');
/** Videos that are remembered, those looked at last. */
const MOST = 20_000;

/**
 * @param build of this program: another one may find something else
 * @param isBelieved false: nothing is remembered from before
 */
export function openLintMemory(root: string, build: string, isBelieved: boolean): LintMemory {
  const found = isBelieved ? readMemory(join(root, FILE), build) : new Map<string, readonly LintFinding[]>();
  let isChanged = false;
  return {
    get: (fingerprint) => found.get(fingerprint),
    set(fingerprint, findings) {
      found.delete(fingerprint);
      found.set(fingerprint, findings);
      isChanged = true;
    },
    async store() {
      if (!isChanged) return;
      const kept = Object.fromEntries([...found].slice(-MOST));
      await writeFileAtomic(join(root, FILE), `${JSON.stringify({ build, found: kept })}\n`).catch((error) => {
        if (!(error instanceof ReelformError)) throw error;
      });
    },
  };
}

/** What cannot be read was not remembered. */
function readMemory(path: string, build: string): Map<string, readonly LintFinding[]> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isRecord(value) && value.build === build && isRecord(value.found)) {
      const entries = Object.entries(value.found).filter(([, findings]) => Array.isArray(findings));
      return new Map(entries as [string, LintFinding[]][]);
    }
  } catch {
    // Not there, or damaged.
  }
  return new Map();
}
