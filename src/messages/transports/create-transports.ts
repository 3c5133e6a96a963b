import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock';
import type { AppConfig } from '../../platform/settings/config';
import { mailboxDirectory } from '../mailbox/mailbox';
import { MailboxTransport } from './mailbox-transport';
import type { MessageTransports } from './message-transport';
import { SmsGatewayTransport } from './sms-gateway-transport';
import { SmtpTransport } from './smtp-transport';

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
