import { SERVICE_CODES } from '../../service/service-codes.ts';
import { EXAMPLES } from './schemas/examples.ts';
import { WEBHOOK_EXAMPLES } from './schemas/webhook-examples.ts';

/** What holds for every call, in Markdown. Each error code has an anchor, to which the `type` of a problem leads. */
export const INTRODUCTION = `Creates videos from templates: read what a template takes, send a mapping, read the session until the video is there.

The calls of the interface document are \`getStyleVersionSpecs\`, \`createRenderSession\` and \`getRenderSession\`; a client that knows only those works. Everything else is an addition.

## Three calls

A *style version* is an immutable version of a template. Its specification lists the *editables*: texts, colours and images that can be filled. A *mapping* fills them. A *render session* makes the video.

\`\`\`sh
# What a template takes
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
  -H "Authorization: Bearer $REELFORM_TOKEN"
\`\`\`

Read the session again after the seconds in \`Retry-After\`. With \`If-None-Match\`, an answer that has not changed costs 304 and no body.

## Authentication

Every call under \`/v2\` carries a server access token: \`Authorization: Bearer rf_…\`. A token belongs to a tenant and has scopes. Another tenant's resources behave as not found: 404.

Without a token, or with one that is unknown, expired or revoked: 401. Without the scope: 403, which names it.

## Idempotency

Send an \`Idempotency-Key\` with a POST, and repeat the request as often as you like: the first one counts. A repetition answers the same, with \`Idempotent-Replayed: true\`. Keys are kept for 24 hours.

The key with another body: 422 \`idempotency_key_reused\`. While the first request is running: 409 \`idempotency_in_progress\`.

## Rate limits

Where a tenant has a limit, each answer reports what is left: \`RateLimit-Policy: "default";q=300;w=60\` and \`RateLimit: "default";r=299;t=58\`, 299 requests for the next 58 seconds. After the last: 429 with \`Retry-After\`.

## Webhooks

A webhook endpoint gets a POST for each event, signed as Standard Webhooks 1.0 defines. Verify it with the secret and the unchanged body, answer 2xx within 15 seconds, and do the work afterwards.

\`\`\`json
${JSON.stringify(WEBHOOK_EXAMPLES.uploadComplete, null, 2)}
\`\`\`

A message that failed is sent again for about three days, always with the same \`webhook-id\`: remember the ids that you have seen. The order is not guaranteed. 410 disables the endpoint.

## Errors

Errors are \`application/problem+json\` (RFC 9457). \`errors\` lists every mistake at once, each with a JSON pointer into the body. A field that does not exist is refused, not ignored.

\`\`\`json
${JSON.stringify(EXAMPLES.problem, null, 2)}
\`\`\`

| \`code\` | status | meaning |
|---|---|---|
${Object.entries(SERVICE_CODES)
  .map(([code, [status, meaning]]) => `| <a id="${code}"></a>\`${code}\` | ${status} | ${meaning} |`)
  .join('\n')}
`;
