import { type Server as HttpServer, type ServerResponse } from 'node:http';
import { Server, type Socket } from 'node:net';

/** How long, in milliseconds, a connection without a request is kept: a proxy may be sending one into it. */
const PARTING = 500;

/** What a server has open. */
export interface OpenConnections {
  sockets: ReadonlySet<Socket>;
  responses: ReadonlySet<ServerResponse>;
}

/**
 * Stops a server without breaking off a request: it takes no new connection, closes each one after its answer, and
 * closes idle ones a moment later. Node's `close` would close idle ones at once, so that a POST on its way is lost (RFC
 * 9110, section 9.2.2), and would wait for connections that were never used.
 */
export function closeServer(server: HttpServer, { sockets, responses }: OpenConnections): Promise<void> {
  for (const response of responses) if (!response.headersSent) response.setHeader('Connection', 'close');
  const parting = setTimeout(() => {
    server.closeIdleConnections();
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }, PARTING);
  return new Promise((resolve) => {
    Server.prototype.close.call(server, () => {
      clearTimeout(parting);
      // Ends Node's timer for slow requests, which would keep the server in memory.
      server.close();
      resolve();
    });
  });
}
