import type { StyleVersion } from '../../src/service/wire.ts';

/** A specification with every kind that definitions fill, and one that they cannot. */
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
    v_01: { input_type: 'video', stillcut: 'stillcut_02', label: 'Clip' },
  },
  fonts: ['Inter-Bold'],
};
