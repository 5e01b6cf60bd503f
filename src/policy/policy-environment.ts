/** Words of names that hold what lets somebody in, between underscores or alone. */
const SECRET_NAME =
  /(?:^|_)(?:\w*TOKEN|\w*SECRETS?|PASS|PASSWD|\w*PASSWORD|\w*PASSPHRASE|\w*CREDENTIALS?|\w*KEY|KEYS|AUTH|JWT|PAT|COOKIE|DSN|SAS)(?:_|\d*$)/i;
/** Everything of these is about who one is, or leads to who tells. */
const SECRET_FAMILY = /^(?:AWS|AZURE|ARM|GOOGLE|GCP|GCLOUD|CLOUDSDK|ACTIONS|GH|VAULT|SSH|npm_config)_/i;

/**
 * The environment of a policy command: that of this process without what lets somebody in. By its name (`REELFORM_TOKEN`,
 * `GITHUB_TOKEN`, all of `AWS_`, …), because reelform.yaml names it, or because it is a URL with a password. A variable of
 * another name is passed on whatever it holds.
 *
 * @param named by reelform.yaml: variables that hold a token or a key
 */
export function policyEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  named: readonly string[],
): Record<string, string> {
  const hidden = new Set(named);
  const kept = Object.entries(env).filter((entry): entry is [string, string] => {
    const [name, value] = entry;
    if (value === undefined || hidden.has(name)) return false;
    return (
      !SECRET_NAME.test(name) && !SECRET_FAMILY.test(name) && !/^[a-z][a-z0-9+.-]*:\/\/[^/\s]*:[^/\s]*@/i.test(value)
    );
  });
  return Object.fromEntries(kept);
}
