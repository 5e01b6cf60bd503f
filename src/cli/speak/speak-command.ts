import { join } from 'node:path';
import { type Diagnostic, EXIT, errorAt, ReelformError } from '../../kernel/diagnostic.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { idMatcher, unmatchedGlobs } from '../../reconciler/plan/select-changes.ts';
import { loadProject, type Project, type SpokenUse } from '../../reconciler/project/load-project.ts';
import { RepositoryFiles } from '../../reconciler/project/repository-files.ts';
import { writeFileAtomic } from '../../reconciler/project/write-file.ts';
import { type SpeechOutcome, type SpeechPorts, speakTexts } from '../../reconciler/speech/speak-texts.ts';
import { type SpokenText, speechSoundPath, speechWordsPath } from '../../reconciler/speech/spoken-text.ts';
import { speakJson } from '../../report/json/speak-json.ts';
import { speakReportText } from '../../report/terminal/speak-text.ts';
import { type JsonOptions, rejectConflictingOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics, printResult } from '../output.ts';
import { pruneSpeech } from './prune-speech.ts';
import { speakText } from './speak-text.ts';

export interface SpeakOptions extends JsonOptions {
  readonly check?: boolean;
  readonly prune?: boolean;
  /** Removes the files that `prune` lists. */
  readonly yes?: boolean;
}

/** A text, and where it is spoken. */
interface WantedText {
  readonly text: SpokenText;
  readonly uses: readonly SpokenUse[];
}

/**
 * `reelform speak [VIDEO…]`: lets voices speak the texts of definitions whose speech is missing. A text that was spoken is never spoken
 * again.
 */
export async function speakCommand(globs: readonly string[], options: SpeakOptions, io: Io): Promise<number> {
  if (options.prune === true) rejectConflictingOptions('--prune', options, { check: '--check' });
  if (options.yes === true && options.prune !== true) {
    throw new ReelformError('options_conflict', '--yes needs --prune', { hint: 'Remove it' });
  }
  const project = await loadProject({ cwd: workingDirectory(options, io) });
  const errors = [...project.diagnostics, ...unknownVideos(globs, project)].filter(
    ({ severity }) => severity === 'error',
  );
  if (errors.length > 0) {
    printDiagnostics(errors, project.source, options, io);
    return EXIT.error;
  }
  if (options.prune === true) return pruneSpeech(project, options, io);
  const matches = globs.length === 0 ? () => true : idMatcher(globs);
  const wanted = wantedTexts(project.spoken.filter(({ video }) => video === null || matches(video)));
  const files = new RepositoryFiles(project.root);
  const isMissing = ({ text }: WantedText): boolean =>
    [speechSoundPath(text), speechWordsPath(text)].some((path) => files.asset(path) === 'missing');
  const missing = wanted.filter(isMissing);
  const isMaking = options.check !== true;
  const outcomes = isMaking ? await speak(missing, project.root, io) : [];
  const failures = outcomes.flatMap((outcome) => failureOf(outcome, missing));
  const report = { missing, outcomes, kept: wanted.length - missing.length, isMaking };
  printDiagnostics(failures, project.source, options, io);
  printResult(speakJson(report), (style) => speakReportText(report, style), options, io);
  if (outcomes.some(({ kind }) => kind === 'interrupted')) return EXIT.interrupted;
  if (failures.length > 0) return EXIT.error;
  return !isMaking && missing.length > 0 ? EXIT.changes : EXIT.ok;
}

function unknownVideos(globs: readonly string[], { videos, waiting, leftOut }: Project): Diagnostic[] {
  const withWhen = leftOut.filter(({ byWhere }) => byWhere !== true);
  const ids = [...videos, ...waiting, ...withWhen].map(({ id }) => id);
  return unmatchedGlobs({ targets: globs.length === 0 ? null : globs, excludes: [] }, ids);
}

function wantedTexts(uses: readonly SpokenUse[]): WantedText[] {
  return [...groupBy(uses, ({ text }) => text.name).values()].map((same) => ({ text: same[0]!.text, uses: same }));
}

async function speak(missing: readonly WantedText[], root: string, io: Io): Promise<SpeechOutcome[]> {
  const interruption = new AbortController();
  const stopListening = io.onInterrupt(() => interruption.abort());
  try {
    const texts = missing.map(({ text }) => text);
    return await speakTexts(texts, speechPorts(root, io), interruption.signal);
  } finally {
    stopListening();
  }
}

/** @param root of the repository, absolute */
export function speechPorts(root: string, io: Pick<Io, 'env' | 'wait'>): SpeechPorts {
  const { env } = io;
  return {
    speak: (text, signal) => speakText(text, { root, env, signal }),
    write: (path, data) => writeFileAtomic(join(root, path), data),
    wait: (milliseconds, signal) => io.wait(milliseconds, signal),
    random: Math.random,
  };
}

/** Reports a failure where the text is written first. */
function failureOf(outcome: SpeechOutcome, wanted: readonly WantedText[]): Diagnostic[] {
  if (outcome.kind === 'made' || outcome.kind === 'interrupted') return [];
  const at = wanted.find(({ text }) => text === outcome.text)?.uses[0]?.at;
  if (outcome.kind === 'failed') return [errorAt('speech_failed', at, outcome.error.message, outcome.error.hint)];
  const message = `Not spoken, because the voice ${outcome.text.voice.name} fails`;
  return [errorAt('speech_failed', at, message, 'Correct the voice, and run reelform speak again')];
}
