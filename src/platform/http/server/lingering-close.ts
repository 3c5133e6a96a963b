import type { Duplex } from 'node:stream';

/** How long, in milliseconds, and how many bytes a client may still send after its last answer. */
const MAX_LINGER = 1_000;
const MAX_DISCARDED = 1024 * 1024;

/**
 * Closes a connection so that the client can read the answer: with unread input the kernel would send a reset, and the
 * client would discard the answer (RFC 9112, section 9.6).
 */
export function closeLingering(socket: Duplex): void {
  let discarded = 0;
  const timer = setTimeout(() => socket.destroy(), MAX_LINGER);
  socket.once('close', () => {
    clearTimeout(timer);
  });
  // Node's parser must not find another request in what still comes.
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > MAX_DISCARDED) socket.destroy();
  });
  socket.resume();
  socket.end();
}
