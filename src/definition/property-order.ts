/** The order in which a definition is written: where it comes from, what it is, what fills it. */
export const PROPERTY_ORDER = [
  'template',
  'extends',
  'each',
  'id',
  'title',
  'description',
  'labels',
  'protect',
  'resources',
  'audio',
  'fonts',
  'output',
  'deliver',
] as const;
