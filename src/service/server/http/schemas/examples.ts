import type { WebhookDelivery, WebhookEndpoint } from '../../../../contract/wire/webhook.ts';

/** Example values for the API description: one video from request to result. */
const TIME = { created: '2026-01-01T00:00:00.000Z', ended: '2026-01-01T00:00:07.214Z' };
const BASE = 'https://reels.example.com';
const STYLE_VERSION_ID = 'tsv_9c41e7d2';
const HERO = '(Footage)/USER/hero.jpg';

const RESOURCES = {
  t_01: { source: { text: 'Summer Collection' } },
  c_01: { source: { text: 'EEADA7' } },
  [HERO]: { source: { remote_url: 'https://example.com/hero.jpg' }, transform: { crop_strategy: 'cover' } },
};

const SPECIFICATION = {
  id: STYLE_VERSION_ID,
  editables: {
    t_01: {
      input_type: 'text',
      example_text: 'Your headline',
      stillcut: 'stillcut_01',
      fonts: ['BricolageGrotesque-SemiBold'],
      label: 'Headline',
      max_length: 40,
    },
    c_01: { input_type: 'color', example_text: 'EEADA7', stillcut: 'stillcut_01' },
    [HERO]: { input_type: 'image', stillcut: 'stillcut_02', width: 1080, height: 1350, required: false },
  },
  fonts: ['BricolageGrotesque-SemiBold'],
};

const STARTED = {
  id: 'rs_81f2c0',
  title: 'Berlin',
  status: 'preview_rendering',
  render_progress: 0,
  thumbnails: [],
  video_url: null,
  errors: [],
  created_at: TIME.created,
  updated_at: TIME.created,
  mapping: { id: 'map_5d0e', template_style_version_id: STYLE_VERSION_ID, resources: RESOURCES },
  audio_tracks: {},
  font_changes: {},
  source_uploads: [],
  fonts: [],
  phase: 'queued',
  terminal: false,
  download_url: null,
  expires_at: null,
  external_uploads: [],
};

const UPLOAD_ASKED = { to: 's3://videos/summer/{title}.{extension}', credential: 'main' };

const UPLOADED = {
  to: 's3://videos/summer/Berlin.mp4',
  credential: 'main',
  status: 'complete',
  remote_id: '5d41402abc4b2a76b9719d911017c592',
  url: 'https://cdn.example.com/summer/Berlin.mp4',
  error: null,
};

const SCENES = [
  { id: 'intro', mapping: { template_style_version_id: 'tsv_51b0e2aa', resources: {} } },
  {
    id: 'product/lamp',
    mapping: { template_style_version_id: STYLE_VERSION_ID, resources: RESOURCES },
    seconds: 6.8,
    timing: [{ hold: 93 }],
    transition: { type: 'slide', direction: 'left', duration: 0.4 },
  },
];

export const EXAMPLES = {
  scenes: SCENES,
  requestOfScenes: { title: 'Spring', render: 'preview', scenes: SCENES, size: [1920, 1080], rate: 30 },
  resources: RESOURCES,
  captions: {
    source: { text: 'WEBVTT\n\n00:00:00.500 --> 00:00:02.000\nLight that lands softly.\n' },
    style: { font: 'Montserrat', weight: 800, size: 7, active_color: 'FFE600' },
    lang: 'en',
  },
  audioTracks: {
    main: {
      source: { remote_url: 'https://example.com/music.mp3' },
      transform: { volume: 0.5, fade_out: 2, loop: true },
    },
  },
  fontChanges: { 'BricolageGrotesque-SemiBold': { source: { font: 'InstrumentSans-Medium' } } },
  request: {
    title: 'Berlin',
    render: 'preview',
    mapping: { template_style_version_id: STYLE_VERSION_ID, resources: RESOURCES },
    external_uploads: [UPLOAD_ASKED],
  },
  session: {
    ...STARTED,
    status: 'preview_rendered',
    render_progress: 100,
    thumbnails: [`${BASE}/outputs/k3Vb9Qz71xTn0LwY/stillcut_01.jpg`],
    video_url: `${BASE}/outputs/k3Vb9Qz71xTn0LwY/video.mp4`,
    updated_at: TIME.ended,
    source_uploads: [
      {
        key: HERO,
        remote_url: 'https://example.com/hero.jpg',
        status: 'fetched',
        sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
        content_type: 'image/jpeg',
        bytes: 481_204,
        width: 1600,
        height: 2000,
      },
    ],
    fonts: ['BricolageGrotesque-SemiBold'],
    phase: 'done',
    terminal: true,
    download_url: `${BASE}/downloads/rs_81f2c0/video.mp4?expires=1767229200&signature=…`,
    usage: { queue_seconds: 0.1, render_seconds: 7.1, frames: 360, bytes: 2_841_733 },
    external_uploads: [UPLOADED],
  },
  uploadAsked: UPLOAD_ASKED,
  uploads: [UPLOADED],
  delivering: {
    render_session: {
      ...STARTED,
      external_uploads: [{ ...UPLOADED, status: 'pending', remote_id: null, url: null }],
    },
  },
  started: { render_session: STARTED },
  canceled: {
    render_session: {
      ...STARTED,
      status: 'preview_canceled',
      updated_at: TIME.ended,
      errors: [
        {
          code: 'canceled',
          title: 'The session was canceled',
          severity: 'error',
          retryable: false,
          occurred_at: TIME.ended,
        },
      ],
      phase: 'done',
      terminal: true,
    },
  },
  features: {
    features: { scenes: { max_scenes: 200, max_seconds: 1800 }, sound: true, captions: true, languages: true },
  },
  usage: {
    usage: [
      { date: '2026-01-01', sessions: 12, video_seconds: 129.6, render_seconds: 84.2, frames: 3888, bytes: 14_216_310 },
    ],
    budget: { month: '2026-01', limit: 36_000, used: 129.6, reserved: 10.8 },
  },
  dryRun: {
    valid: false,
    errors: [{ code: 'missing_editable', pointer: '#/mapping/resources', detail: 'c_01 has no value' }],
    warnings: [],
    estimate: { frames: 360, render_seconds: 7.1 },
  },
  specification: SPECIFICATION,
  details: {
    ...SPECIFICATION,
    name: 'Launch',
    status: 'edit_ready',
    errors: [],
    digest: '9c41e7d2a0b85c6f1e3d4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796',
    width: 1080,
    height: 1350,
    fps: 30,
    duration: 12,
    stillcuts: {
      stillcut_01: `${BASE}/v2/template_style_versions/${STYLE_VERSION_ID}/stillcuts/stillcut_01.png`,
    },
    created_at: TIME.created,
  },
  upload: {
    remote_url: 'urn:sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
    sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
    bytes: 481_204,
    content_type: 'image/jpeg',
    width: 1600,
    height: 2000,
  },
  problem: {
    type: '/docs#mapping_invalid',
    title: 'The mapping does not match the style version',
    status: 422,
    detail: 'The mapping does not match the template: c_01 has no value',
    instance: '/v2/render_sessions',
    code: 'mapping_invalid',
    request_id: 'req_3fq8Tz0dYx5Nn1uG',
    errors: [{ code: 'missing_editable', pointer: '#/mapping/resources', detail: 'c_01 has no value' }],
  },
} as const;

const { download_url: _, ...session } = EXAMPLES.session;

const ENDPOINT: WebhookEndpoint = {
  id: 'whe_4n7Qd0',
  url: 'https://example.com/webhooks/reelform',
  description: 'Publishes finished videos',
  types: ['render_session.status.changed'],
  signature: 'standard',
  client_id: null,
  enabled: true,
  disabled_because: null,
  failing_since: null,
  created_at: TIME.created,
  updated_at: TIME.created,
};

const DELIVERY: WebhookDelivery = {
  id: 'whd_Zk31pA',
  message_id: 'msg_2fQx8c',
  type: 'render_session.status.changed',
  url: null,
  status: 'delivered',
  attempts: [
    { at: TIME.ended, status_code: 503, error: 'status', duration_ms: 84 },
    { at: '2026-01-01T00:00:12.391Z', status_code: 204, error: null, duration_ms: 41 },
  ],
  next_attempt_at: null,
  created_at: TIME.ended,
  ended_at: '2026-01-01T00:00:12.432Z',
};

/** Example values for the description of webhooks. */
export const WEBHOOK_EXAMPLES = {
  create: { url: ENDPOINT.url, description: ENDPOINT.description, types: ENDPOINT.types },
  endpoint: ENDPOINT,
  withSecret: { ...ENDPOINT, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw8pUJZ2RPzyA=' },
  delivery: DELIVERY,
  sessionChanged: { type: 'render_session.status.changed', timestamp: TIME.ended, data: { render_session: session } },
  uploadComplete: {
    type: 'render_session.external_upload.complete',
    timestamp: TIME.ended,
    data: {
      render_session_id: 'rs_81f2c0',
      to: 's3://videos/berlin.mp4',
      remote_id: '"9b2cf535f27731c974343645a3985328"',
    },
  },
  styleVersionChanged: {
    type: 'template_style_version.status.changed',
    timestamp: TIME.ended,
    data: { style_version: EXAMPLES.details },
  },
  test: { type: 'webhook_endpoint.test', timestamp: TIME.ended, data: { webhook_endpoint_id: ENDPOINT.id } },
} as const satisfies Record<string, object>;
