import { EXIT, ReelformError } from '../diagnostic.ts';

/**
 * Sees to it that the token goes nowhere but where the environment lets it: reelform.yaml, with the URL and the name of
 * the variable that holds the token, can be changed by whoever can open a pull request.
 *
 * @param url of the service
 * @param allowed origins, separated by commas; nothing there: any
 * @throws ReelformError `token_origin`
 */
export function checkTokenOrigin(url: string, allowed: string | undefined): void {
  const names = (allowed ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  if (names.length === 0) return;
  const { origin } = new URL(url);
  if (names.some((name) => URL.canParse(name) && new URL(name).origin === origin)) return;
  throw new ReelformError(
    'token_origin',
    `The access token may be sent to ${names.join(', ')}, and reelform.yaml names ${origin}`,
    {
      hint: 'Look who changed "service" in reelform.yaml; if it is right, add the origin to REELFORM_TOKEN_ORIGIN',
      exitCode: EXIT.authentication,
    },
  );
}
