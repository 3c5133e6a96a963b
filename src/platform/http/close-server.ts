import type { Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'node:net';

/** How long, in milliseconds, a connection without a request is kept: a proxy may be sending one into it. */
const PARTING = 500;

/**
 * Stops a server without breaking off a request: it takes no new connection, goes on answering on those it has, and ends
 * each when nothing has come for a moment. Node's own `close` ends idle ones at once, and a POST that was on its way is
 * lost with them, since nobody may send it again (RFC 9110, section 9.2.2); and it waits for those never used.
 */
export function closeServer(server: HttpServer, open: ReadonlySet<Socket>): Promise<void> {
  server.keepAliveTimeout = PARTING;
  const parting = setTimeout(() => {
    server.closeIdleConnections();
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  }, PARTING);
  return new Promise((resolve) => {
    Server.prototype.close.call(server, () => {
      clearTimeout(parting);
      resolve();
    });
  });
}
