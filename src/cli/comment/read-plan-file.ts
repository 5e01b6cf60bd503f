import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ReelformError } from '../../diagnostic.ts';
import type { Json } from '../../digest.ts';
import { type PlanDocument, planId } from '../../plan/plan-document.ts';
import { problemsOf } from '../../report/markdown/problem-tables.ts';
import { createPlanCheck } from '../../schema/compile-schema.ts';

/** The plan of a hundred thousand new videos has half of it. */
const MOST_BYTES = 64 * 2 ** 20;
const MOST_CHANGES = 200_000;
const MOST_DIAGNOSTICS = 10_000;

/**
 * Reads a plan that may be anybody's, such as an artifact of a fork's pull request: bounded, in the form of its schema, with
 * the id that its changes give. Nothing in it is believed to be harmless text.
 *
 * @param file as it was typed; its path starts at the directory
 * @throws ReelformError `plan_invalid`
 */
export async function readPlanFile(file: string, directory: string): Promise<PlanDocument> {
  const refuse = (what: string): ReelformError =>
    new ReelformError('plan_invalid', `The plan ${file} cannot be read: ${what}`, {
      hint: 'Make it with `reelform plan --json > FILE`, or `reelform plan --out FILE`',
    });
  const text = await readBounded(resolve(directory, file)).catch((error: NodeJS.ErrnoException) => {
    throw refuse(error.code === 'ENOENT' ? 'there is no such file' : (error.code ?? 'it is no file'));
  });
  if (text === null) throw refuse(`it is larger than ${MOST_BYTES >> 20} MiB`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse('it is not JSON');
  }
  const wrong = createPlanCheck()(value);
  // On one line, since names in it are the stranger's: a line of its own could be a command to the runner.
  if (wrong !== null) throw refuse(wrong.slice(0, 200).replaceAll(/[\s\p{C}]+/gu, ' '));
  const document = value as PlanDocument;
  if (document.changes.length > MOST_CHANGES) throw refuse(`it has more than ${MOST_CHANGES} changes`);
  if (planId(document.changes) !== document.plan_id) {
    throw refuse('its changes are not those that its plan_id was made of');
  }
  return { ...document, diagnostics: diagnosticsOf(document) };
}

async function readBounded(path: string): Promise<string | null> {
  const handle = await open(path);
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new Error('It is no file');
    return found.size > MOST_BYTES ? null : await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** Those in the form of diagnostics, errors first. */
function diagnosticsOf(document: PlanDocument): Json[] {
  return problemsOf(document).slice(0, MOST_DIAGNOSTICS);
}
