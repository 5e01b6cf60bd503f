import type { Diagnostic } from '../diagnostic.ts';
import type { Locate } from '../locate.ts';
import { foldWords } from '../policy/find-words.ts';
import { POLICY_RULES, type Policy, type PolicyLevel, type PolicyRule } from '../policy/policy.ts';

/** `policies` of reelform.yaml, as its schema has it. */
export type WrittenPolicies = {
  readonly [R in PolicyRule]?: Omit<Extract<Policy, { rule: R }>, 'rule' | 'level'> & { readonly level?: PolicyLevel };
};

/** Reads `policies`: in the order of the rules, denying where nothing else is said. */
export function readPolicies(
  written: WrittenPolicies | undefined,
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
  return { policies, diagnostics };
}
