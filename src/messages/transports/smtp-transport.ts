import type { Transporter } from 'nodemailer';
import type { MailSender, SmtpSettings } from '../../platform/config';
import type { Clock } from '../../platform/clock';
import { isOnLoopback } from '../../platform/safe-address';
import type { RenderedEmail } from '../message';
import { DeliveryError } from './delivery-error';
import { mailOf } from './mail';
import type { MessageTransport } from './message-transport';

/** In milliseconds; the whole may take less than a message stays with one process. */
const TIMEOUTS = { connection: 5_000, greeting: 5_000, socket: 15_000, whole: 20_000 };

/** Sends e-mail over SMTP. */
export class SmtpTransport implements MessageTransport<RenderedEmail> {
  private constructor(
    private readonly mailer: Transporter,
    private readonly sender: MailSender,
    private readonly clock: Clock,
    private readonly deadlineMs: number,
  ) {}

  static async to(settings: SmtpSettings, clock: Clock, timeouts = TIMEOUTS): Promise<SmtpTransport> {
    const { createTransport } = await import('nodemailer');
    const mailer = createTransport({
      url: encryptedAddress(settings.url),
      pool: true,
      // The queue tries again, and later: here a message that was taken before the connection broke would go out twice.
      maxRequeues: 0,
      connectionTimeout: timeouts.connection,
      greetingTimeout: timeouts.greeting,
      socketTimeout: timeouts.socket,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return new SmtpTransport(mailer, settings.from, clock, timeouts.whole);
  }

  async deliver(message: RenderedEmail): Promise<void> {
    const mail = mailOf(message, this.sender, this.clock.now());
    try {
      await this.mailer.sendMail({ ...mail, signal: AbortSignal.timeout(this.deadlineMs) });
    } catch (error) {
      throw deliveryError(error as SmtpError);
    }
  }

  close(): void {
    this.mailer.close();
  }
}

/**
 * The address with STARTTLS demanded of a server elsewhere: without it codes and the password would go in clear to whoever
 * sits between and hides the offer. As part of the address it cannot be overridden by the rest of it.
 */
function encryptedAddress(address: string): string {
  const url = new URL(address);
  if (url.protocol === 'smtp:' && !isOnLoopback(url)) url.searchParams.set('requireTLS', 'true');
  return url.href;
}

interface SmtpError {
  code?: string;
  responseCode?: number;
  command?: string;
}

/** A 5yz answer refuses this message when it is given to its recipient or its content, else it tells of our set-up. */
function deliveryError(error: SmtpError): DeliveryError {
  const { code = 'unknown', responseCode, command = '' } = error;
  const refused = responseCode !== undefined && responseCode >= 500 && ['RCPT TO', 'DATA'].includes(command);
  const reason = responseCode === undefined ? `SMTP ${code}` : `SMTP ${code} ${responseCode}`;
  return new DeliveryError(reason, { refused, cause: error });
}
