import { EXAMPLES } from '../schemas/examples.ts';
import { WEBHOOK_EXAMPLES } from '../schemas/webhook-examples.ts';
import { codeBlock } from './html.ts';
import { showJson } from './show-json.ts';

const FIRST_CALLS = `# What a template takes
curl "$REELFORM_URL/v2/template_style_versions/tsv_9c41e7d2/specs" \\
  -H "Authorization: Bearer $REELFORM_TOKEN"

# A video from it
curl -X POST "$REELFORM_URL/v2/render_sessions" \\
  -H "Authorization: Bearer $REELFORM_TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{"title": "Berlin", "render": "preview", "mapping": {
        "template_style_version_id": "tsv_9c41e7d2",
        "resources": {"t_01": {"source": {"text": "Summer Collection"}}}}}'

# Until its status is preview_rendered
curl "$REELFORM_URL/v2/render_sessions/rs_81f2c0" \\
  -H "Authorization: Bearer $REELFORM_TOKEN"`;

/** What holds for every call, before the calls. */
export const TOPICS: readonly {
  readonly id: string;
  readonly title: string;
  readonly words: string;
  readonly example: string;
}[] = [
  {
    id: 'start',
    title: 'Three calls',
    words: `<p>A <em>style version</em> is a template as it is for good. Its specification lists the <em>editables</em>: texts, colours and images that can be filled. A <em>mapping</em> fills them. A <em>render session</em> makes the video.</p>
<p>Read the session again after the seconds in <code>Retry-After</code>. With <code>If-None-Match</code>, an answer that has not changed costs 304 and no body.</p>`,
    example: codeBlock('From nothing to a video', FIRST_CALLS, 'shell'),
  },
  {
    id: 'authentication',
    title: 'Authentication',
    words: `<p>Every call under <code>/v2</code> carries a server access token. A token belongs to a tenant, and has scopes; what is another tenant’s is not there: 404.</p>
<p>Without a token, or with one that is unknown, expired or revoked: 401. Without the scope: 403, which names it.</p>`,
    example: codeBlock('Header', 'Authorization: Bearer rf_…', 'shell'),
  },
  {
    id: 'idempotency',
    title: 'Safe to repeat',
    words: `<p>Send an <code>Idempotency-Key</code> with a POST, and repeat the request as often as you like: the first one counts. A repetition answers the same, with <code>Idempotent-Replayed: true</code>. Keys are kept for 24 hours.</p>
<p>The key with another body: 422 <code>idempotency_key_reused</code>. While the first request is at work: 409 <code>idempotency_in_progress</code>.</p>`,
    example: codeBlock('Headers', 'Idempotency-Key: 8e03978e-40d5-43dd-bc93-6894a57f9324', 'shell'),
  },
  {
    id: 'rates',
    title: 'Rates',
    words: `<p>Where a tenant has a limit, each answer says what is left: <code>RateLimit-Policy: "default";q=300;w=60</code> and <code>RateLimit: "default";r=299;t=58</code>, 299 requests for the next 58 seconds. After the last: 429 with <code>Retry-After</code>.</p>`,
    example: '',
  },
  {
    id: 'receiving',
    title: 'Being told',
    words: `<p>A webhook endpoint gets a POST for each thing that happens, signed as Standard Webhooks 1.0 has it. Verify it with the secret and the body as it came, answer 2xx within 15 seconds, and do the work afterwards.</p>
<p>A message that failed is sent again for about three days, always with the same <code>webhook-id</code>: remember those that you have seen. Order is not promised. 410 disables the endpoint.</p>`,
    example: codeBlock('What is sent', showJson(WEBHOOK_EXAMPLES.uploadComplete), 'json'),
  },
  {
    id: 'mistakes',
    title: 'Mistakes',
    words: `<p>Errors are <code>application/problem+json</code> (RFC 9457). <code>errors</code> lists every mistake at once, each with a JSON pointer into the body. A field that does not exist is refused, not ignored.</p>`,
    example: codeBlock('Answer 422', showJson(EXAMPLES.problem), 'json'),
  },
];
