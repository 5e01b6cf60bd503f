import type { Component } from './json-schema.ts';
import { PROBLEM, REQUEST_PROBLEM } from './problem-schemas.ts';
import { CREATE_RENDER_SESSION, DRY_RUN, RENDER_SESSION, SOURCE_UPLOAD } from './session-schemas.ts';
import { EDITABLE, STYLE_VERSION, STYLE_VERSION_DETAILS } from './style-version-schemas.ts';

/** All schemas that others refer to. */
export const COMPONENTS: readonly Component[] = [
  RENDER_SESSION,
  CREATE_RENDER_SESSION,
  DRY_RUN,
  EDITABLE,
  STYLE_VERSION,
  STYLE_VERSION_DETAILS,
  SOURCE_UPLOAD,
  PROBLEM,
  REQUEST_PROBLEM,
];
