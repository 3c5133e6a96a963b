import type { ApiRequest } from './api-request';

/** Checks now, and again after a late body: what was valid at its first byte may have ended by its last. */
export async function judge(request: ApiRequest, decide: () => void | Promise<void>): Promise<void> {
  await decide();
  (request.judgements ??= []).push(decide);
}

/** In the order of the first check. */
export async function judgeAgain({ judgements = [] }: ApiRequest): Promise<void> {
  for (const decide of judgements) await decide();
}
