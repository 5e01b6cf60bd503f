import { expect, it } from 'vitest';
import { policyEnvironment } from '../../src/policy/policy-environment.ts';

it('policyEnvironment() leaves out what lets somebody in, and nothing else', () => {
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
