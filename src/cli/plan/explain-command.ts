import { EXIT, ReelformError } from '../../kernel/diagnostic.ts';
import { closestMatch } from '../../kernel/hints.ts';
import type { LeftOutVideo, WaitingVideo } from '../../reconciler/definition/video.ts';
import { liveAttempt, recordedIn } from '../../reconciler/lock/fold-journal.ts';
import type { Change, Plan } from '../../reconciler/plan/plan.ts';
import { explainJson, explainLeftOutJson } from '../../report/json/command-json.ts';
import { explainLeftOutText, explainText } from '../../report/terminal/explain-text.ts';
import { untranslatedVideos } from '../../report/wording/text-words.ts';
import type { JsonOptions } from '../global-options.ts';
import { hasTrueColor, type Io, wantsColor } from '../io.ts';
import { printJson } from '../output.ts';
import { openWholePlan } from './open-plan.ts';

/** `reelform explain ID`: shows why a video would be rendered, or why it was. */
export async function explainCommand(id: string, options: JsonOptions, io: Io): Promise<number> {
  const opened = await openWholePlan(options, io);
  if (opened === null) return EXIT.error;
  const { repository, plan, lock, journal } = opened;
  const color = wantsColor(io.stdout, io.env, options.color);
  const leftOut = leftOutWithoutChange(id, plan);
  if (leftOut !== undefined) {
    if (options.json === true) printJson(explainLeftOutJson(leftOut, repository.originsOf(leftOut.path)), io);
    else io.stdout.write(explainLeftOutText(leftOut, { color }));
    return EXIT.ok;
  }
  const change = changeOf(id, plan);
  const isRecorded = recordedIn(lock.videos.values());
  const attempt = change.desired === null ? null : liveAttempt(journal, change.desired.fingerprint, isRecorded);
  if (options.json === true) {
    const files = change.desired === null ? [] : repository.dependenciesOf(change.desired);
    printJson(explainJson({ change, attempt, files }), io);
    return EXIT.ok;
  }
  const { columns } = io.stdout;
  io.stdout.write(
    explainText(
      { change, attempt, label: repository.labels },
      { color, trueColor: color && hasTrueColor(io.env), columns },
    ),
  );
  return EXIT.ok;
}

function leftOutWithoutChange(id: string, plan: Plan): LeftOutVideo | WaitingVideo | undefined {
  const { changes, leftOutVideos = [], waiting = [] } = plan;
  const isListed = changes.some((change) => change.id === id || change.previousId === id);
  const others = [...leftOutVideos, ...waiting, ...untranslatedVideos(plan)];
  return isListed ? undefined : others.find((video) => video.id === id);
}

/** Number of ids that a hint names. */
const MAX_CANDIDATES = 5;

/** @throws ReelformError `unknown_video` */
function changeOf(id: string, { changes }: Plan): Change {
  const found = changes.find((change) => change.id === id) ?? changes.find((change) => change.previousId === id);
  if (found !== undefined) return found;
  const ids = changes.flatMap((change) => (change.previousId === null ? [change.id] : [change.id, change.previousId]));
  const withPrefix = ids.filter((candidate) => candidate.startsWith(id)).sort();
  const candidates = withPrefix.length > 0 ? withPrefix : [closestMatch(id, ids)].filter((match) => match !== null);
  const more = candidates.length > MAX_CANDIDATES ? `, or ${candidates.length - MAX_CANDIDATES} more` : '';
  const hint =
    candidates.length === 0
      ? 'Run `reelform plan --verbose` to list all videos'
      : `Did you mean ${candidates.slice(0, MAX_CANDIDATES).join(', ')}${more}?`;
  throw new ReelformError('unknown_video', `Neither a definition nor the lockfile has a video ${JSON.stringify(id)}`, {
    hint,
  });
}
