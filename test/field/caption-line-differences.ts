/** Thirty cues in twelve scripts, emoji counted, with the languages that decide where they break. */
export const CUES: readonly (readonly [name: string, lang: string, text: string])[] = [
  ['Latin, two lines', 'en', 'Light that lands softly on every room you love'],
  [
    'Latin, three lines',
    'en',
    'Light that lands softly on every room you love and stays until you ask it to leave again',
  ],
  ['Latin with a hyphen', 'en', 'A well-kept, hand-made lamp for every room of your long-awaited house'],
  ['Latin with dashes and quotes', 'en', '“Is it bright enough?” she asked – and then, softly, it was brighter'],
  ['Latin with a price', 'en', 'Now only $ 1,299.00 (instead of $ 1,499.00) until the 24th of December'],
  ['Latin with an address', 'en', 'Order at olune.example/lamps/spring before everyone else does so today'],
  ['German compounds', 'de', 'Die Lichtgeschwindigkeitsmessung und die Donaudampfschifffahrt beginnen heute'],
  ['French punctuation', 'fr', 'Est-ce assez clair ? Oui : la lumière tombe « doucement » dans la pièce !'],
  ['Vietnamese', 'vi', 'Ánh sáng dịu dàng chiếu xuống mọi căn phòng mà bạn yêu thích'],
  ['Cyrillic', 'ru', 'Свет, который мягко ложится на каждую комнату вашего нового дома'],
  ['Cyrillic with a dash', 'uk', 'Світло — це не розкіш, а тепло, яке лягає на кожен стіл і кожну стіну'],
  ['Greek', 'el', 'Το φως που πέφτει απαλά σε κάθε δωμάτιο που αγαπάτε, κάθε βράδυ'],
  ['Hebrew', 'he', 'אור רך שנופל על כל חדר שאתם אוהבים ונשאר עד שתבקשו ממנו ללכת'],
  ['Hebrew with Latin and digits', 'he', 'המחיר הוא 1,234.50 USD בלבד (כולל משלוח) עד סוף השבוע הזה'],
  ['Arabic', 'ar', 'ضوء ناعم يسقط على كل غرفة تحبها ويبقى حتى تطلب منه أن يرحل'],
  ['Arabic with Latin', 'ar', 'اطلب مصباح Dune الآن من olune.example قبل نهاية الأسبوع، والتوصيل مجاني'],
  ['Devanagari', 'hi', 'रोशनी जो आपके हर प्यारे कमरे पर धीरे से उतरती है और वहीं ठहर जाती है'],
  ['Devanagari with danda', 'hi', 'यह दीपक सुंदर है। यह हर कमरे को रोशन करता है। आज ही मँगाइए।'],
  ['Thai', 'th', 'แสงนุ่มนวลที่ส่องลงบนทุกห้องที่คุณรักและอยู่ต่อจนกว่าคุณจะขอให้มันไป'],
  ['Thai with spaces', 'th', 'วันนี้ลดราคา 20% ทุกรุ่น สั่งซื้อได้ที่เว็บไซต์ของเรา ส่งฟรีทั่วประเทศ'],
  ['Kana and Han', 'ja', '春の新作コレクションを今すぐチェックして、部屋をやさしく照らしましょう。'],
  ['Kana with quotes', 'ja', '「明るさは足りますか？」と彼女は聞いた。すると、そっと明るくなった。'],
  ['Katakana', 'ja', 'プレミアムデザイナーズコレクションのスタンドライトをプレゼント！'],
  ['Japanese with Latin and digits', 'ja', '新しいDUNEランプは12月24日までに限り、今なら30%オフで購入できます。'],
  ['Han, simplified', 'zh-Hans', '在家中，明月光照大地，所有人都能安心入眠，直到天明。'],
  ['Han with quotes', 'zh-Hans', '“明天能看到光明？”他小心地向大家提出。于是不久之后，天就大亮了！'],
  ['Han, traditional', 'zh-Hant', '柔和的光線輕輕落在家中的所有房間，直到明天早上為止。'],
  ['Hangul', 'ko', '당신이 사랑하는 모든 방에 부드럽게 내려앉는 빛을 지금 만나보세요'],
  ['Hangul with Latin', 'ko', '새로운 DUNE 램프를 12월 24일까지 30% 할인된 가격에 구매하세요.'],
  ['Emoji', 'en', 'Spring is here 🌷🌷 and the whole family 👨‍👩‍👧‍👦 loves the light ❤️ in every room 🏠'],
];

interface Difference {
  readonly ours: string;
  readonly chromium: string;
  readonly reason: string;
}

const TIE = 'Both have as many lines, and their longest lines differ by less than four pixels';
const PHRASE = 'Captions break between phrases';

/** Where captions break otherwise than Chromium, and why that is accepted. */
export const ACCEPTED: Readonly<Record<string, Difference>> = {
  'Latin, three lines': {
    ours: 'Light that lands softly | on every room you love | and stays until you ask | it to leave again',
    chromium: 'Light that lands softly | on every room you | love and stays until you | ask it to leave again',
    reason: TIE,
  },
  'Latin with an address': {
    ours: 'Order at olune.example/ | lamps/spring before | everyone else does so today',
    chromium: 'Order at | olune.example/lamps/spring | before everyone else does | so today',
    reason: 'The address is wider than a line: Chromium lets it overflow',
  },
  'French punctuation': {
    ours: 'Est-ce assez clair ? | Oui : la lumière | tombe « doucement » | dans la pièce !',
    chromium: 'Est-ce assez clair ? Oui | : la lumière tombe « | doucement » dans la pièce !',
    reason: 'No line begins with a colon or ends with an opening quotation mark',
  },
  Cyrillic: {
    ours: 'Свет, который мягко | ложится на каждую | комнату вашего | нового дома',
    chromium: 'Свет, который | мягко ложится на | каждую комнату | вашего нового дома',
    reason: TIE,
  },
  Greek: {
    ours: 'Το φως που πέφτει | απαλά σε κάθε δωμάτιο | που αγαπάτε, κάθε βράδυ',
    chromium: 'Το φως που πέφτει απαλά | σε κάθε δωμάτιο που | αγαπάτε, κάθε βράδυ',
    reason: TIE,
  },
  Devanagari: {
    ours: 'रोशनी जो आपके हर प्यारे | कमरे पर धीरे से उतरती है | और वहीं ठहर जाती है',
    chromium: 'रोशनी जो आपके हर प्यारे | कमरे पर धीरे से उतरती | है और वहीं ठहर जाती है',
    reason: TIE,
  },
  'Thai with spaces': {
    ours: 'วันนี้ลดราคา 20% ทุกรุ่น สั่งซื้อได้ | ที่เว็บไซต์ของเรา ส่งฟรีทั่วประเทศ',
    chromium: 'วันนี้ลดราคา 20% ทุก | รุ่น สั่งซื้อได้ที่เว็บไซต์ | ของเรา ส่งฟรีทั่วประเทศ',
    reason: 'Captions have fewer lines, and no word is divided',
  },
  'Kana with quotes': {
    ours: '「明るさは足りますか？」と | 彼女は聞いた。すると、 | そっと明るくなった。',
    chromium: '「明るさは足りますか？」 | と彼女は聞いた。すると、 | そっと明るくなった。',
    reason: `${PHRASE}: the particle と belongs to the quotation`,
  },
  Katakana: {
    ours: 'プレミアムデザイナーズ | コレクションのスタンド | ライトをプレゼント！',
    chromium: 'プレミアムデザイナーズコレ | クションのスタンドライトを | プレゼント！',
    reason: 'Chromium divides the word コレクション',
  },
  'Han with quotes': {
    ours: '“明天能看到光明？”他 | 小心地向大家提出。于是 | 不久之后，天就大亮了！',
    chromium: '“明天能看到光明？”他小 | 心地向大家提出。于是不 | 久之后，天就大亮了！',
    reason: `${PHRASE}: Chromium divides the words 小心 and 不久`,
  },
  'Han, traditional': {
    ours: '柔和的光線輕輕落在 | 家中的所有房間， | 直到明天早上為止。',
    chromium: '柔和的光線輕輕落在家中的所 | 有房間，直到明天早上為止。',
    reason: `${PHRASE}: Chromium divides the word 所有`,
  },
};
