import { describe, expect, it } from 'vitest';
import {
  type PolicyCommandResult,
  policyEnvironment,
  readPolicyAnswer,
} from '../../../src/reconciler/policy/policy-command.ts';

const read = (end: Partial<PolicyCommandResult>): string[] =>
  readPolicyAnswer(
    'command c',
    { exitCode: 0, stdout: '', stderr: '', failure: null, ...end },
    (id) => id === 'dune',
  ).map(({ level, video, message }) => [level, video, message].filter((one) => one !== null).join(' '));

const BROKEN =
  'deny command c: it printed an invalid answer; expected {"deny": ["message"], "warn": []} and no other text';

describe('readPolicyAnswer()', () => {
  it.each<[Partial<PolicyCommandResult>, string[]]>([
    [{}, []],
    [{ stdout: 'all is well' }, []],
    [{ exitCode: 1 }, ['deny command c: it exited with 1 without a message']],
    [{ exitCode: 2, stderr: 'too\n::error::loud\u001b[31m\r\n' }, ['deny command c: too ::error::loud']],
    [{ exitCode: 2, stdout: 'from stdout' }, ['deny command c: from stdout']],
    [{ stdout: '{"deny": ["a"], "warn": ["b"]}' }, ['deny command c: a', 'warn command c: b']],
    [{ exitCode: 1, stdout: '{"deny": []}', stderr: 'crashed' }, ['deny command c: crashed']],
    [
      { exitCode: 1, stdout: '{"warn": ["b"]}' },
      ['deny command c: it exited with 1 without a message', 'warn command c: b'],
    ],
    [{ stdout: '{"deny": [{"message": "a", "video": "dune"}]}' }, ['deny dune command c: dune: a']],
    [{ stdout: '{"deny": [{"msg": "a", "video": "other"}, 7]}' }, ['deny command c: a', 'deny command c: 7']],
    [{ stdout: '{"deny": "a"}' }, ['deny command c: a']],
    [{ stdout: '{"deny": ""}' }, []],
    [{ stdout: '\uFEFF{"deny": ["a"]}\n' }, ['deny command c: a']],
    [{ stdout: '{"deny": ["a"]}\ndone' }, [BROKEN]],
    [{ stdout: '{"deny": {"message": "a"}, "warn": []}' }, [BROKEN]],
    [{ stdout: '{"deny": true}' }, [BROKEN]],
    [{ stdout: '{"allowed": true}' }, []],
    [{ exitCode: 1, stdout: '{"allowed": false}' }, ['deny command c: {"allowed": false}']],
    [{ exitCode: 1, stdout: '{"deny": true}', stderr: 'crashed' }, ['deny command c: crashed']],
    [{ exitCode: 1, stdout: '{"deny": true}' }, ['deny command c: {"deny": true}']],
    [{ exitCode: null, failure: 'it gave no answer' }, ['deny command c: it gave no answer']],
  ])('parses %j', (end, expected) => {
    expect(read(end)).toEqual(expected);
  });

  it('limits the number of findings', () => {
    expect(read({ exitCode: 1, stderr: 'x'.repeat(50_000) })[0]).toHaveLength('deny command c: '.length + 1_001);
    const many = read({ stdout: JSON.stringify({ deny: ['a'], warn: Array.from({ length: 200 }, () => 'b') }) });
    expect(many).toHaveLength(101);
    expect(many.at(-1)).toBe('warn command c: and 101 more');
  });
});

it('policyEnvironment() removes only credentials', () => {
  const kept = {
    PATH: '/bin',
    HOME: '/home/me',
    LANG: 'C',
    GITHUB_SHA: 'abc',
    CI: 'true',
    BRANCH: 'x',
    PROXY: 'http://p:80',
  };
  const hidden = {
    REELFORM_TOKEN: 't',
    GITHUB_TOKEN: 't',
    GH_TOKEN: 't',
    AWS_ACCESS_KEY_ID: 't',
    AWS_PROFILE: 'p',
    ACTIONS_ID_TOKEN_REQUEST_URL: 'u',
    ACTIONS_RUNTIME_TOKEN: 't',
    MY_SECRET: 's',
    DB_PASSWORD: 'p',
    R2_KEY: 'k',
    API_KEY_2: 'k',
    apikey: 'k',
    NPM_AUTH: 'a',
    DATABASE_URL: 'postgres://u:p@h/db',
    QUITE_HARMLESS: 'named by reelform.yaml',
  };
  expect(policyEnvironment({ ...kept, ...hidden }, ['QUITE_HARMLESS'])).toEqual(kept);
});
