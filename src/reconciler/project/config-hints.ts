import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { isRecord } from '../../kernel/json.ts';

/** Explains how to write the URL of a service, how to replace former values of `encoder`, and why an expected value is missing. */
export function withConfigHint(diagnostic: Diagnostic, json: unknown): Diagnostic {
  const { encoder, service } = json as { readonly encoder?: unknown; readonly service?: unknown };
  const isUrl = typeof service === 'string' && /^https?:\/\//i.test(service) && URL.canParse(service);
  if (isUrl && diagnostic.message.startsWith('service ')) {
    const { protocol, host, pathname } = new URL(service);
    return { ...diagnostic, hint: `Write service: {url: "${protocol}//${host}${pathname.replace(/\/+$/, '')}"}` };
  }
  const isRetired = encoder === 'embedded' || encoder === 'ffmpeg';
  if (isRetired && diagnostic.message.startsWith('encoder ')) {
    return { ...diagnostic, hint: 'Remove it: the default encoder makes files as small as ffmpeg does' };
  }
  const isVaapi = isRecord(encoder) && encoder.h264 === 'vaapi' && diagnostic.message.startsWith('encoder.h264 ');
  return isVaapi ? { ...diagnostic, hint: 'Use x264: VAAPI encoders take only frames in graphics memory' } : diagnostic;
}
