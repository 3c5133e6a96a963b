import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';

/** What the server does: `break` takes a message and cuts the connection before it says so. */
export type SmtpBehaviour = 'accept' | 'busy' | 'mute' | 'refuse-recipient' | 'hang' | 'break';

export interface ReceivedMail {
  from: string;
  recipients: string[];
  raw: string;
  encrypted: boolean;
}

export interface SmtpSinkOptions {
  /** With the certificate for tests that its library brings, which nobody trusts. */
  offersTls?: boolean;
}

/** A real SMTP server that keeps what it is sent, and misbehaves on demand. */
export class SmtpSink {
  readonly received: ReceivedMail[] = [];
  behaviour: SmtpBehaviour = 'accept';
  private server: SMTPServer | undefined;
  private port = 0;

  private constructor(private readonly options: SmtpSinkOptions) {}

  static async start(options: SmtpSinkOptions = {}): Promise<SmtpSink> {
    const sink = new SmtpSink(options);
    await sink.open();
    return sink;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** The same server by an address that does not say that it is on this machine. */
  get urlFromElsewhere(): string {
    return `smtp://0.0.0.0:${this.port}`;
  }

  /** Listens, where it listened before. */
  async open(): Promise<void> {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: this.options.offersTls === true ? ['AUTH'] : ['STARTTLS', 'AUTH'],
      closeTimeout: 1,
      onConnect: (_, callback) => {
        if (this.behaviour === 'busy') callback(refusal(421, 'Try again later'));
        else if (this.behaviour !== 'mute') callback();
      },
      onRcptTo: ({ address }, _, callback) => {
        callback(this.behaviour === 'refuse-recipient' ? refusal(550, `<${address}> is unknown`) : undefined);
      },
      onData: (stream, session, callback) => {
        // A client that dies in the middle of a message has sent none.
        this.take(stream, session, callback).catch(() => undefined);
      },
    });
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => {
      server.listen(this.port, '127.0.0.1', resolve);
    });
    this.port = (server.server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Refuses connections, and ends those there are. */
  async close(): Promise<void> {
    const { server } = this;
    if (server)
      await new Promise<void>((resolve) => {
        server.close(resolve);
      });
  }

  private async take(stream: SMTPServerDataStream, session: SMTPServerSession, done: () => void): Promise<void> {
    const { behaviour } = this;
    const { mailFrom, rcptTo } = session.envelope;
    const raw = (await stream.toArray()).map(String).join('');
    const from = mailFrom === false ? '' : mailFrom.address;
    const recipients = rcptTo.map(({ address }) => address);
    this.received.push({ from, recipients, raw, encrypted: session.secure });
    if (behaviour === 'break') for (const connection of this.server?.connections ?? []) connection.close();
    else if (behaviour !== 'hang') done();
  }
}

const refusal = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode });
