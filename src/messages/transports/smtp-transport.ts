import type { Transporter } from 'nodemailer';
import type { SmtpSettings } from '../../platform/settings/config';
import type { MailSender } from '../../platform/settings/setting-values';
import type { Clock } from '../../platform/clock';
import { isOnLoopback } from '../../platform/values/safe-address';
import type { RenderedEmail } from '../message';
import { DeliveryError } from './delivery-error';
import { mailOf } from './mail';
import type { MessageTransport } from './message-transport';

/** In milliseconds; together less than the lease of a message. */
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
      // The queue tries again later: a retry here would send a message twice if it was accepted before the connection
      // broke.
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
 * The address, with STARTTLS required unless on loopback: otherwise somebody on the way could hide the offer and read
 * codes and the password. As part of the address, its other options cannot override it.
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

/** A 5yz answer to the recipient or content refuses this message; otherwise it concerns our settings. */
function deliveryError(error: SmtpError): DeliveryError {
  const { code = 'unknown', responseCode, command = '' } = error;
  const refused = responseCode !== undefined && responseCode >= 500 && ['RCPT TO', 'DATA'].includes(command);
  const reason = responseCode === undefined ? `SMTP ${code}` : `SMTP ${code} ${responseCode}`;
  return new DeliveryError(reason, { refused, cause: error });
}
