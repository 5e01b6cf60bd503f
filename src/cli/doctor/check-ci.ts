import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { repositoryPlace } from '../../git/default-branch.ts';
import type { Config } from '../../project/config.ts';
import type { DoctorCheck } from '../../report/terminal/doctor-text.ts';
import { type Io, isCi } from '../io.ts';
import { isJournalLocal, SHARED_JOURNAL_HINT } from '../journal/local-journal.ts';

/** Whether the journal survives the runners that apply; nothing where no CI applies. @param root absolute */
export async function checkCi(root: string, config: Config, { env }: Pick<Io, 'env'>): Promise<DoctorCheck[]> {
  const name = 'Journal in CI';
  if (config.service === 'embedded' || !(isCi(env) || (await appliesInCi(root)))) return [];
  if (!isJournalLocal(config)) return [{ name, status: 'ok', message: 'it is a branch, and survives the runner' }];
  const message = 'it is a file, which is lost with the runner: a cancelled job is paid for twice';
  return [{ name, status: 'warning', message, hint: SHARED_JOURNAL_HINT }];
}

/** Whether a workflow of the repository, or of this folder of it, names `reelform` and `apply`. */
async function appliesInCi(root: string): Promise<boolean> {
  const place = await repositoryPlace(root);
  const top = place === null ? root : resolve(root, place.up);
  const workflows = join(top, '.github/workflows');
  const files = [
    ...(existsSync(workflows) ? readdirSync(workflows).map((file) => join(workflows, file)) : []),
    ...[root, top].map((folder) => join(folder, '.gitlab-ci.yml')).filter((file) => existsSync(file)),
  ];
  return files.some((file) => /\.ya?ml$/.test(file) && /\breelform\b[\s\S]*\bapply\b/.test(readFileSync(file, 'utf8')));
}
