import { maskText, secretSpans } from '../yaml/mask-text.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';

/** The text of reelform.yaml as it may be shown around a mistake; undefined where secrets cannot be told from the rest. */
export function shownConfig(name: string, text: string): string | undefined {
  if (!/credent|:\/\/[^\s/]*@/i.test(text)) return text;
  const parsed = parseYaml(name, text);
  if (!parsed.ok) return undefined;
  return maskText(text, parsed.value === null ? [] : secretSpans(parsed.value));
}
