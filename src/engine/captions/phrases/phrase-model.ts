/** Weights of the characters around a position: of one, two or three characters, by feature. */
type PhraseModel = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Features of a model: characters from an offset to another, relative to the position. */
const FEATURES = [
  ['UW1', -3, -2],
  ['UW2', -2, -1],
  ['UW3', -1, 0],
  ['UW4', 0, 1],
  ['UW5', 1, 2],
  ['UW6', 2, 3],
  ['BW1', -2, 0],
  ['BW2', -1, 1],
  ['BW3', 0, 2],
  ['TW1', -3, 0],
  ['TW2', -2, 1],
  ['TW3', -1, 2],
  ['TW4', 0, 3],
] as const;

/** A language whose words have no spaces between them. */
export type UnspacedLanguage = 'ja' | 'th' | 'zh-hans' | 'zh-hant';

/** Models of BudouX 0.9.2, Copyright 2021 Google LLC, Apache License 2.0. */
const MODELS: Readonly<Record<UnspacedLanguage, () => Promise<{ readonly default: PhraseModel }>>> = {
  ja: () => import('./ja.json', { with: { type: 'json' } }),
  th: () => import('./th.json', { with: { type: 'json' } }),
  'zh-hans': () => import('./zh-hans.json', { with: { type: 'json' } }),
  'zh-hant': () => import('./zh-hant.json', { with: { type: 'json' } }),
};

const finders = new Map<UnspacedLanguage, Promise<(text: string) => number[]>>();

/**
 * Returns a function that returns the indices at which phrases of a language begin, except 0.
 *
 * @see https://github.com/google/budoux for the algorithm: the sum of the weights of the characters around a position
 */
export function phraseFinder(language: UnspacedLanguage): Promise<(text: string) => number[]> {
  const finder = finders.get(language) ?? MODELS[language]().then(({ default: model }) => finderOf(model));
  finders.set(language, finder);
  return finder;
}

function finderOf(model: PhraseModel): (text: string) => number[] {
  const features = FEATURES.flatMap(([name, from, to]) => {
    const weights = model[name];
    return weights === undefined ? [] : [{ weights: new Map(Object.entries(weights)), from, to }];
  });
  const total = features.reduce((sum, { weights }) => [...weights.values()].reduce((a, b) => a + b, sum), 0);
  return (text) => {
    const starts: number[] = [];
    for (let at = 1; at < text.length; at++) {
      const score = features.reduce(
        (sum, { weights, from, to }) => sum + (weights.get(text.substring(at + from, at + to)) ?? 0),
        -total / 2,
      );
      if (score > 0) starts.push(at);
    }
    return starts;
  };
}
