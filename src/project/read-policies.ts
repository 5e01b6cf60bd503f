import type { Diagnostic, Locate } from '../diagnostic.ts';
import { foldWords } from '../policy/match-text.ts';
import { POLICY_RULES, type Policy, type PolicyLevel, type PolicyRule } from '../policy/policy.ts';

/** `policies` of reelform.yaml, as its schema has it. */
export type WrittenPolicies = {
  readonly [R in PolicyRule]?: Omit<Extract<Policy, { rule: R }>, 'rule' | 'level'> & { readonly level?: PolicyLevel };
};

/** Reads `policies`: in the order of the rules, denying where nothing else is said. @param written reelform.yaml */
export function readPolicies(
  { policies: written, cost }: { readonly policies?: WrittenPolicies; readonly cost?: unknown },
  locate: Locate,
): { readonly policies: readonly Policy[]; readonly diagnostics: readonly Diagnostic[] } {
  const policies = POLICY_RULES.flatMap((rule) => {
    const own = written?.[rule];
    return own === undefined ? [] : [{ level: 'deny', rule, ...own } as Policy];
  });
  const words = written?.forbid_words?.words ?? [];
  const diagnostics = words.flatMap((word, index): Diagnostic[] => {
    if (foldWords(word) !== '') return [];
    const { span: at } = locate(['policies', 'forbid_words', 'words', String(index)], 'value');
    const message = 'policies.forbid_words has a word without any character that can be seen';
    return [{ code: 'config_invalid', severity: 'error', message, hint: 'Leave it out', at }];
  });
  if (written?.max_cost !== undefined && cost === undefined) {
    const { span: at } = locate(['policies', 'max_cost'], 'key');
    const message = 'policies.max_cost allows an amount, and nothing says what a render costs';
    const hint = 'Say it with "cost: {currency: EUR, per_render: 0.5}"';
    diagnostics.push({ code: 'config_invalid', severity: 'error', message, hint, at });
  }
  return { policies, diagnostics };
}
