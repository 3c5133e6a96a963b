import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface GatewayRequest {
  headers: IncomingHttpHeaders;
  body: string;
}

/** An operator's SMS gateway that keeps what it is sent, and answers with this status or not at all. */
export class SmsGateway {
  readonly requests: GatewayRequest[] = [];
  answer: number | 'hang' = 202;
  /** Where it answers otherwise, by the number that a message is to. */
  readonly answersTo = new Map<string, number>();
  private readonly hanging: ServerResponse[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      void text(request).then((body) => {
        this.requests.push({ headers: request.headers, body });
        const { to } = JSON.parse(body) as { to: string };
        const answer = this.answersTo.get(to) ?? this.answer;
        if (answer === 'hang') this.hanging.push(response);
        else response.writeHead(answer, { Location: '/elsewhere' }).end('ignored');
      });
    });
  }

  static async start(): Promise<SmsGateway> {
    const server = createServer();
    const gateway = new SmsGateway(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return gateway;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/sms`;
  }

  /** Answers those that hang, or as many of them as have hung for longest. */
  release(status: number, count = this.hanging.length): void {
    for (const response of this.hanging.splice(0, count)) response.writeHead(status).end();
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
