import type { StyleVersion } from '../../src/contract/wire/style-version.ts';

/**
 * A specification with every kind that a definition can fill and one that it cannot; has required and optional
 * editables of the former.
 */
export const LAUNCH_SPEC: StyleVersion = {
  id: 'tsv_launch',
  editables: {
    t_01: {
      input_type: 'text',
      example_text: 'Summer Collection',
      stillcut: 'stillcut_01',
      fonts: ['Inter-Bold'],
      label: 'Headline',
      max_length: 20,
    },
    t_02: { input_type: 'text', example_text: 'From 1 June', stillcut: 'stillcut_01', label: 'Date', required: false },
    c_01: { input_type: 'color', example_text: 'EEADA7', stillcut: 'stillcut_01', label: 'Accent' },
    '(Footage)/USER/hero.jpg': {
      input_type: 'image',
      stillcut: 'stillcut_02',
      label: 'Hero picture',
      width: 1920,
      height: 1080,
    },
    v_01: { input_type: 'video', stillcut: 'stillcut_02', label: 'Clip', duration: 4, required: false },
    a_01: { input_type: 'audio', stillcut: 'stillcut_02', label: 'Voice', required: false },
    f_01: {
      input_type: 'font',
      stillcut: 'stillcut_01',
      label: 'Headline font',
      allowed_fonts: ['Inter-Bold', 'Inter-Regular'],
      required: false,
    },
    f_02: { input_type: 'font', stillcut: 'stillcut_01', label: 'Other font', required: false },
    h_01: { input_type: 'hologram' as never, stillcut: 'stillcut_02', label: 'Hologram' },
  },
  fonts: ['Inter-Bold'],
};
