/**
 * `fetch` that has read the answer to its end: rejects when the signal says so or there are more than `maxBytes`. The
 * `fetch` of Node.js 20 forgets its signal when garbage is collected after the headers, and would then read for ever.
 */
export async function fetchWhole(
  url: string,
  init: RequestInit & { signal: AbortSignal },
  maxBytes: number,
): Promise<Response> {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const end = () => void reader.cancel().catch(() => undefined);
  init.signal.addEventListener('abort', end, { once: true });
  try {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (let read = await reader.read(); read.value; read = await reader.read()) {
      size += read.value.length;
      if (size > maxBytes) throw new Error(`The answer is larger than ${maxBytes} bytes`);
      chunks.push(read.value);
    }
    init.signal.throwIfAborted();
    const { status, statusText, headers } = response;
    return new Response(Buffer.concat(chunks), { status, statusText, headers });
  } finally {
    init.signal.removeEventListener('abort', end);
    // Closes the connection when the answer was not read to its end.
    end();
  }
}
