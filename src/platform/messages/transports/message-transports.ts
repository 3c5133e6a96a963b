import { join } from 'node:path';
import type { Logger } from 'pino';
import type { AppConfig } from '../../app-config';
import type { Clock } from '../../clock';
import type { RenderedEmail, RenderedMessage, RenderedSms } from '../message';
import { MailboxTransport } from './mailbox-transport';
import { SmsGatewayTransport } from './sms-gateway-transport';
import { SmtpTransport } from './smtp-transport';

/** A way out for messages: resolves once somebody else is responsible for the message, else throws a DeliveryError. */
export interface MessageTransport<M extends RenderedMessage = RenderedMessage> {
  deliver(message: M): Promise<void>;
  close?(): void;
}

export interface MessageTransports {
  email: MessageTransport<RenderedEmail>;
  sms: MessageTransport<RenderedSms>;
}

/** Injection token of the transports in use. */
export const MESSAGE_TRANSPORTS = Symbol('MESSAGE_TRANSPORTS');

/** Where the development mailbox lies. */
export const mailboxDirectory = ({ dataDir }: AppConfig): string => join(dataDir, 'mailbox');

/** The transports that are configured; a channel without one writes files. */
export async function createTransports(config: AppConfig, clock: Clock, logger: Logger): Promise<MessageTransports> {
  const { smtp, smsGateway, isProduction } = config;
  const mailbox = new MailboxTransport(mailboxDirectory(config), clock, logger);
  if (isProduction && !smtp) logger.warn('There is no SMTP_URL: e-mail is written to files');
  if (isProduction && !smsGateway) logger.warn('There is no SMS_GATEWAY_URL: text messages are written to files');
  return {
    email: smtp ? await SmtpTransport.to(smtp, clock) : mailbox,
    sms: smsGateway ? new SmsGatewayTransport(smsGateway, clock) : mailbox,
  };
}
