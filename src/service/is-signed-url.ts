/** Parameters that carry a right with them, and most of them an end of it. */
const SIGNATURES =
  /^(?:x-(?:amz|goog|oss|cos|ms)-(?:signature|credential|security-token|expires|date)|signature|sig|se|expires|exp|expiry|policy|key-pair-id|awsaccesskeyid|googleaccessid|hdnea|hdnts|hmac|verify|jwt|auth|token|access_token|auth_token)$/i;

/**
 * Whether a URL grants by its query what it leads to: who has it has the video, and it may lead nowhere tomorrow. False for
 * what is no URL.
 */
export function isSignedUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  return [...new URL(url).searchParams.keys()].some((name) => SIGNATURES.test(name));
}
