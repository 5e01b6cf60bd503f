import { ReelformError } from '../../diagnostic.ts';

type Webcodecs = typeof import('@napi-rs/webcodecs');

/**
 * The encoder's package.
 *
 * @throws ReelformError encoder_missing
 */
export async function loadWebcodecs(): Promise<Webcodecs> {
  try {
    return await import('@napi-rs/webcodecs');
  } catch (cause) {
    throw new ReelformError('encoder_missing', 'The video encoder @napi-rs/webcodecs cannot be loaded', {
      hint: 'install it with: npm install @napi-rs/webcodecs@1.3.1 (it may have been left out by --omit=optional)',
      cause,
    });
  }
}
