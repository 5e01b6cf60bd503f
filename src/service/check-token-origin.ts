import { EXIT, ReelformError } from '../diagnostic.ts';

/**
 * Sees to it that the token goes nowhere but where the environment lets it: reelform.yaml, with the URL and the name of
 * the variable that holds the token, can be changed by whoever can open a pull request.
 *
 * @param url of the service
 * @param allowed origins, separated by commas; blank: any; no name between commas: none
 * @throws ReelformError `token_origin`
 */
export function checkTokenOrigin(url: string, allowed: string | undefined): void {
  // Set to nothing is not set: what a CI makes of a variable that is not there.
  if ((allowed ?? '').trim() === '') return;
  const names = (allowed ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const { origin } = new URL(url);
  if (names.some((name) => URL.canParse(name) && new URL(name).origin === origin)) return;
  throw new ReelformError(
    'token_origin',
    `The access token may be sent to ${names.join(', ') || 'nowhere'}, and reelform.yaml names ${origin}`,
    {
      hint: 'Look who changed "service" in reelform.yaml; if it is right, add the origin to REELFORM_TOKEN_ORIGIN',
      exitCode: EXIT.authentication,
    },
  );
}
