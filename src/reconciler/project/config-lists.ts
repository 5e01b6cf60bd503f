import { defined } from '../../kernel/defined.ts';
import type { Check, Diagnostic, Locate } from '../../kernel/diagnostic.ts';
import { isRecord } from '../../kernel/json.ts';
import { type CaptionStyles, readCaptionStyles, type WrittenStyle } from '../definition/caption-styles.ts';
import type { LocaleSettings } from '../locales/locale-settings.ts';
import type { Voice } from '../speech/voice.ts';
import { readLocales, type WrittenLocales } from './locales-config.ts';
import { readVoices, type WrittenVoice } from './voices.ts';

/** A list of reelform.yaml whose names definitions use. */
export type ConfigList = 'locales' | 'voices' | 'caption_styles';

/** Lists of a configuration with a mistake. */
interface ReadLists {
  readonly config: {
    readonly locales?: LocaleSettings;
    readonly voices?: ReadonlyMap<string, Voice>;
    readonly captionStyles?: CaptionStyles;
  };
  /** Those that have a mistake themselves: whether a name is in them is unknown. */
  readonly unknown: readonly ConfigList[];
}

/** Reads the lists of a configuration that has a mistake, so that definitions are not reported for one that is elsewhere. */
export function readLists(json: unknown, check: Check, locate: Locate): ReadLists {
  const written = isRecord(json) ? json : {};
  const unknown: ConfigList[] = [];
  const read = <Value>(
    name: ConfigList,
    readValue: () => { readonly value: Value | undefined; readonly diagnostics: readonly Diagnostic[] },
  ): Value | undefined => {
    if (written[name] === undefined) return undefined;
    const isValid = check({ templates: {}, [name]: written[name] }, locate).length === 0;
    const found = isValid ? readValue() : null;
    if (found?.diagnostics.length === 0) return found.value;
    unknown.push(name);
    return undefined;
  };
  const { cost } = written;
  const currency = isRecord(cost) && typeof cost.currency === 'string' ? cost.currency : undefined;
  const locales = read('locales', () => {
    const settings = readLocales(written.locales as WrittenLocales, locate);
    return settings.ok
      ? { value: settings.value, diagnostics: [] }
      : { value: undefined, diagnostics: settings.diagnostics };
  });
  const voices = read('voices', () => {
    const all = readVoices(written.voices as Readonly<Record<string, WrittenVoice>>, currency, locate);
    return { value: all.voices, diagnostics: all.diagnostics };
  });
  const captionStyles = read('caption_styles', () => {
    const all = readCaptionStyles(written.caption_styles as Readonly<Record<string, WrittenStyle>>, locate);
    return { value: all.styles, diagnostics: all.diagnostics };
  });
  return { config: defined({ locales, voices, captionStyles }), unknown };
}
