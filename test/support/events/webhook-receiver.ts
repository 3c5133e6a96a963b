import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Event } from '../api/subscribers';

const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n';

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  event: Event;
}

/** Another system's server, which takes events or does not. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** Null: it takes a request and does not answer before `answer`. */
  status: number | null = 204;
  private readonly waiting: ServerResponse[] = [];

  private readonly port: number;

  private constructor(private readonly server: Server) {
    this.port = (server.address() as AddressInfo).port;
    server.on('request', (request, response) => {
      let body = '';
      request.on('data', (text: Buffer) => (body += text.toString()));
      request.on('end', () => {
        this.received.push({ headers: request.headers, body, event: JSON.parse(body) as Event });
        if (this.status === null) this.waiting.push(response);
        else if (this.status === 101) request.socket.write(SWITCHING);
        else response.writeHead(this.status, this.status === 302 ? { Location: this.url } : {}).end();
      });
    });
  }

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new WebhookReceiver(server);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/events`;
  }

  /** Answers those who wait, and everybody from now on. */
  answer(status: number): void {
    this.status = status;
    for (const response of this.waiting.splice(0)) response.writeHead(status).end();
  }

  /** Until `resume` nobody listens at the address. */
  async pause(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async resume(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
  }

  /** Which of these secrets have signed it. */
  signers({ headers, body }: Received, secrets: string[]): string[] {
    const sent = String(headers['webhook-signature']).split(' ');
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    return secrets.filter((secret) => {
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
      return sent.includes(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    });
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
