import { z } from 'zod';

/** In milliseconds, from the first byte sent to the last one read. */
const DEADLINE = 2_000;

const MAX_BYTES = 128 * 1024;
const MAX_KEYS = 100;

const keySet = z.object({ keys: z.array(z.looseObject({})).max(MAX_KEYS) });

export type PublishedKeySet = z.infer<typeof keySet>;

/** The JWK Set at an address; refuses redirects and whatever is late, large or no such set. */
export async function requestKeySet(uri: string): Promise<PublishedKeySet> {
  const response = await fetch(uri, {
    headers: { Accept: 'application/jwk-set+json, application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(DEADLINE),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`The answer was HTTP ${response.status}`);
  }
  return keySet.parse(JSON.parse(await boundedText(response)));
}

async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early closes the connection.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`The answer is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
