/** Fonts that captions can use in every video. All have Latin letters; Inter has Cyrillic and Greek letters, too. */
export const CAPTION_FONTS = ['Inter', 'Montserrat', 'Anton', 'Instrument Serif'] as const;
