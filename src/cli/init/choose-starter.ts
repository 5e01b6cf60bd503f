import { ReelformError } from '../../kernel/diagnostic.ts';
import { withoutCredentials } from '../../reconciler/git/run-git.ts';
import { initQuestion } from '../../report/terminal/init-text.ts';
import type { Io } from '../io.ts';
import { galleryDigests } from '../template/gallery.ts';
import { STARTER_LOCALE, type StarterChoices } from './starter-files.ts';

export interface StarterOptions {
  readonly service?: string;
  readonly ci?: StarterChoices['ci'];
  readonly template?: StarterChoices['template'];
  /** Languages to translate to, separated by commas. */
  readonly locales?: string;
  /** True to use defaults without asking. */
  readonly yes?: boolean;
}

/** Number of attempts to answer a question. */
const ATTEMPTS = 3;

const CI_CHOICES = ['github', 'gitlab', 'none'] as const;
const TEMPLATE_CHOICES = ['card', 'none'] as const;

/**
 * Returns the choices of the options. Asks for missing options on a terminal, and uses their defaults elsewhere.
 *
 * @param isGitLab selects GitLab as the default CI
 * @throws ReelformError `init_invalid`
 */
export async function chooseStarter(
  options: StarterOptions,
  isGitLab: boolean,
  io: Io,
): Promise<Omit<StarterChoices, 'place' | 'ownPackages' | 'gallery'>> {
  const asks = io.interactive && options.yes !== true;
  /** @param wrong returns the error in an answer, or null */
  const answered = async (question: string, preset: string, wrong: (answer: string) => string | null) => {
    for (let attempt = 1; ; attempt++) {
      const answer = (await io.ask(question)).trim() || preset;
      const message = wrong(answer);
      if (message === null) return answer;
      if (attempt === ATTEMPTS) throw initInvalid(message);
      io.stderr.write(`${message}\n`);
    }
  };
  const chosenFrom = async <T extends string>(
    name: 'ci' | 'template',
    option: T | undefined,
    all: readonly T[],
    preset: T,
  ): Promise<T> => {
    if (option !== undefined || !asks) return option ?? preset;
    const chosen = await answered(initQuestion(name, all, preset), preset, (answer) =>
      all.some((choice) => choice === answer) ? null : `${JSON.stringify(answer)} is not one of ${all.join(', ')}`,
    );
    return chosen as T;
  };
  const asksService = options.service === undefined && asks;
  const service = asksService
    ? await answered(initQuestion('service', [], 'embedded'), 'embedded', wrongService)
    : (options.service ?? 'embedded');
  const wrong = wrongService(service);
  if (wrong !== null) throw initInvalid(wrong);
  return {
    service,
    locales: localesOf(options.locales),
    ci: await chosenFrom('ci', options.ci, CI_CHOICES, isGitLab ? 'gitlab' : 'github'),
    template: await chosenFrom(
      'template',
      options.template,
      [...TEMPLATE_CHOICES, ...Object.keys(galleryDigests())],
      'card',
    ),
  };
}

/** Returns the error in the value of `--service`, or null. */
function wrongService(service: string): string | null {
  if (service === 'embedded' || /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/.test(service)) return null;
  return `${JSON.stringify(withoutCredentials(service))} is neither "embedded" nor an http(s) URL without user, query or fragment`;
}

export function initInvalid(message: string): ReelformError {
  return new ReelformError('init_invalid', message, { hint: 'Run `reelform init --help` for the available options' });
}

/** Returns the languages of `--locales`, in their usual spelling. @throws ReelformError `init_invalid` */
function localesOf(written = ''): string[] {
  const tags = written.split(',').map((tag) => tag.trim()).filter((tag) => tag !== ''); // biome-ignore format: one line
  const locales = tags.map((tag) => {
    try {
      return Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0]!;
    } catch {
      throw initInvalid(`${JSON.stringify(tag)} is not a language tag such as de or pt-BR`);
    }
  });
  return [...new Set(locales)].filter((locale) => locale !== STARTER_LOCALE);
}
