import pLimit from 'p-limit';
import type { RenderService } from '../service/render-service.ts';
import type { RunContext } from './run-context.ts';

/** Requests that may be without an answer at once at a service that keeps no keys: a person has to sort them out. */
const UNKEYED_POSTS = 4;
/** Whoever renders a thousand at once does not want to ask for four at a time. */
const UNKEYED_SHARE = 0.1;

/** Lets few requests be without an answer at once, until the service has shown that it keeps keys. */
export function limitPosts(service: RenderService, concurrency: number): RunContext['posting'] {
  const limit = pLimit(Math.max(UNKEYED_POSTS, Math.ceil(UNKEYED_SHARE * concurrency)));
  return async (post) => {
    if (service.keyLifetimeMs() !== null) return post();
    const posted = await limit(post);
    // The first answer shows it: those who wait need not.
    if (service.keyLifetimeMs() !== null) limit.concurrency = Number.POSITIVE_INFINITY;
    return posted;
  };
}
