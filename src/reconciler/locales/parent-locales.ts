/**
 * Parents of locales that dropping a subtag does not give, by parent; `und` is the root, which has no texts.
 *
 * @see Unicode CLDR 48, supplemental/parentLocales.json (© Unicode, Inc., Unicode License V3)
 */
const CHILDREN: Readonly<Record<string, string>> = {
  'en-001':
    'en-150 en-AG en-AI en-AU en-BB en-BM en-BS en-BW en-BZ en-CC en-CK en-CM en-CX en-CY en-DG en-DM en-ER en-FJ en-FK en-FM en-GB en-GD en-GG en-GH en-GI en-GM en-GS en-GY en-HK en-ID en-IE en-IL en-IM en-IN en-IO en-JE en-JM en-KE en-KI en-KN en-KY en-LC en-LR en-LS en-MG en-MO en-MS en-MT en-MU en-MV en-MW en-MY en-NA en-NF en-NG en-NR en-NU en-NZ en-PG en-PK en-PN en-PW en-RW en-SB en-SC en-SD en-SG en-SH en-SL en-SS en-SX en-SZ en-TC en-TK en-TO en-TT en-TV en-TZ en-UG en-VC en-VG en-VU en-WS en-ZA en-ZM en-ZW',
  'en-150':
    'en-AT en-BE en-CH en-CZ en-DE en-DK en-EE en-ES en-FI en-FR en-GE en-HU en-IT en-LT en-LV en-NL en-NO en-PL en-PT en-RO en-SE en-SI en-SK en-UA',
  'en-IN': 'hi-Latn',
  'es-419':
    'es-AR es-BO es-BR es-BZ es-CL es-CO es-CR es-CU es-DO es-EC es-GT es-HN es-JP es-MX es-NI es-PA es-PE es-PR es-PY es-SV es-US es-UY es-VE',
  'fr-HT': 'ht',
  no: 'nb nn no-NO',
  'pt-PT': 'pt-AO pt-CH pt-CV pt-FR pt-GQ pt-GW pt-LU pt-MO pt-MZ pt-ST pt-TL',
  und: 'az-Arab az-Cyrl bal-Latn blt-Latn bm-Nkoo bs-Cyrl byn-Latn cu-Glag dje-Arab dyo-Arab en-Dsrt en-Shaw ff-Adlm ff-Arab ha-Arab iu-Latn kaa-Latn kk-Arab kok-Latn ks-Deva ku-Arab kxv-Deva kxv-Orya kxv-Telu ky-Arab ky-Latn ml-Arab mn-Mong mni-Mtei ms-Arab pa-Arab sat-Deva sd-Deva sd-Khoj sd-Sind shi-Latn so-Arab sr-Latn sw-Arab suz-Sunu tg-Arab ug-Cyrl uz-Arab uz-Cyrl vai-Latn wo-Arab yo-Arab yue-Hans zh-Hant',
  'zh-Hant-HK': 'zh-Hant-MO',
};

/**
 * Locales of a language and a region that are written in another script than the language alone, by script.
 *
 * @see Unicode CLDR 48, supplemental/likelySubtags.json (© Unicode, Inc., Unicode License V3)
 */
const SCRIPTS: Readonly<Record<string, string>> = {
  Arab: 'az-IQ az-IR ha-CM ha-SD kk-AF kk-CN kk-IR kk-MN ku-IQ ku-IR ku-LB ms-CC pa-PK tg-PK uz-AF',
  Cyrl: 'az-RU ku-AM ku-AZ ku-GE ku-TM pnt-RU ug-KZ ug-MN uz-CN',
  Deva: 'pi-IN sd-IN unr-NP',
  Hans: 'yue-CN',
  Hant: 'hak-TW nan-MO nan-TW zh-AU zh-BN zh-GB zh-GF zh-HK zh-ID zh-MO zh-PA zh-PF zh-PH zh-SR zh-TH zh-TW zh-US zh-VN',
  Latn: 'abq-TR ky-TR mey-SN pnt-TR sr-ME sr-RO sr-TR',
  Mong: 'mn-CN',
};

const PARENTS = new Map(
  Object.entries(CHILDREN).flatMap(([parent, children]) => children.split(' ').map((child) => [child, parent])),
);

const SCRIPT_OF = new Map(
  Object.entries(SCRIPTS).flatMap(([script, locales]) => locales.split(' ').map((locale) => [locale, script])),
);

/**
 * Returns the locales whose texts and files a locale may use where it has none, the nearest first, without the locale itself:
 * `es-419` and `es` for `es-MX`, `zh-Hant` for `zh-TW`. Data of this package, because the data of Node differ between versions.
 *
 * @param locale BCP 47 tag in its usual spelling
 * @see RFC 4647, section 3.4, for dropping subtags; Unicode TS #35, part 1, "Parent Locales"
 */
export function parentLocales(locale: string): string[] {
  const parents: string[] = [];
  for (let parent = parentOf(locale); parent !== null; parent = parentOf(parent)) parents.push(parent);
  return parents;
}

function parentOf(locale: string): string | null {
  const known = PARENTS.get(locale);
  if (known !== undefined) return known === 'und' ? null : known;
  const script = SCRIPT_OF.get(locale);
  if (script !== undefined) return locale.replace('-', `-${script}-`);
  const end = locale.lastIndexOf('-');
  return end === -1 ? null : locale.slice(0, end);
}
