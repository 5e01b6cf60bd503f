import { isRecord } from '../../json.ts';
import { readJson } from '../forge-client.ts';
import { type GitHub, numberOf, textOf } from './github.ts';

/** What an issue and a pull request have in common. */
export interface Thread {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly isOpen: boolean;
}

export interface ThreadChanges {
  readonly title?: string;
  readonly body?: string;
  readonly state?: 'open' | 'closed';
}

type ThreadKind = 'issues' | 'pulls';

/** @returns GitHub's answer */
export async function createThread({ rest, root }: GitHub, kind: ThreadKind, body: object): Promise<unknown> {
  const path = `${root}/${kind}`;
  return readJson(await rest.send('POST', path, { body }), `POST ${path}`, 'GitHub');
}

export async function updateThread(
  { rest, root }: GitHub,
  kind: ThreadKind,
  number: number,
  changes: ThreadChanges,
): Promise<void> {
  await rest.send('PATCH', `${root}/${kind}/${number}`, { body: changes });
}

export function threadOf(value: unknown): Thread {
  const body = isRecord(value) ? value.body : null;
  return {
    number: numberOf(value, 'number'),
    url: textOf(value, 'html_url'),
    title: textOf(value, 'title'),
    body: typeof body === 'string' ? body : '',
    isOpen: textOf(value, 'state') === 'open',
  };
}
