import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests a client may send before it has the answer to an earlier one. */
const MAX_WAITING = 100;

const waiting = new WeakMap<Socket, number>();

/**
 * Runs `handle` when the earlier requests on the connection have been answered. Node would run it at once, but a
 * request after an answer that closes the connection must not be performed (RFC 9112, section 9.6).
 */
export function inTurn(socket: Socket, response: ServerResponse, handle: () => void): void {
  // The last answer was given; what is still in the parser is dropped.
  if (socket.writableEnded) return;
  // Node gives a response its socket when those before it are done, but never once the connection is to close.
  if (response.socket) {
    handle();
    return;
  }
  const count = (waiting.get(socket) ?? 0) + 1;
  waiting.set(socket, count);
  if (count > MAX_WAITING) {
    socket.destroy();
    return;
  }
  response.once('socket', () => {
    waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
    handle();
  });
}
