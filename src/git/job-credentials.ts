/**
 * The arguments by which git may take the token of a job of GitHub Actions, where the server asks who is there: a checkout need
 * not keep the token in its configuration, where every later step of the job could read it. Git's own credentials come first.
 *
 * The token is in no argument: git runs these lines in a shell of its own, which has it from the environment, and it is given to
 * `GITHUB_SERVER_URL` alone.
 *
 * @see https://git-scm.com/docs/gitcredentials#_custom_helpers
 */
export const JOB_CREDENTIALS: readonly string[] = [
  '-c',
  `credential.helper=!f() {
  test "$1" = get && test -n "$GITHUB_TOKEN" || return 0
  while IFS= read -r line; do
    case $line in protocol=*) protocol=\${line#*=} ;; host=*) host=\${line#*=} ;; esac
  done
  test "$protocol://$host" = "$GITHUB_SERVER_URL" || return 0
  printf 'username=x-access-token\\npassword=%s\\n' "$GITHUB_TOKEN"
}; f`,
];
