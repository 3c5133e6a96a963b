import type { ApiRequest } from './api-request';

/** Judges now, and once more when a body has kept the request waiting: what holds at its first byte may have ended by its last. */
export async function judge(request: ApiRequest, decide: () => void | Promise<void>): Promise<void> {
  await decide();
  (request.judgements ??= []).push(decide);
}

/** In the order in which it was judged first. */
export async function judgeAgain({ judgements = [] }: ApiRequest): Promise<void> {
  for (const decide of judgements) await decide();
}
