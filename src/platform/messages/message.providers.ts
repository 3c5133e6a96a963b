import type { Provider } from '@nestjs/common';
import type { Logger } from 'pino';
import { AppConfig } from '../app-config';
import { Clock } from '../clock';
import { LOGGER } from '../logger';
import type { ProcessRole } from '../process-role';
import { AddressedMessages } from './addressed-messages';
import { MailboxExpiry } from './mailbox-expiry';
import { MessageDelivery } from './message-delivery';
import { MessageList } from './message-list';
import { MessageSeal } from './message-seal';
import { Messages } from './messages.service';
import { RetryPolicy } from './retry-policy';
import { createTransports, MESSAGE_TRANSPORTS } from './transports/message-transports';

const delivery: Provider[] = [
  RetryPolicy,
  {
    provide: MESSAGE_TRANSPORTS,
    inject: [AppConfig, Clock, LOGGER],
    useFactory: (config: AppConfig, clock: Clock, logger: Logger) => createTransports(config, clock, logger),
  },
  MessageDelivery,
  MailboxExpiry,
];

/** The parts of the messages: every process can add and list them, a service sends them. */
export const messageProviders = (role: ProcessRole): Provider[] => [
  MessageSeal,
  Messages,
  MessageList,
  AddressedMessages,
  ...(role === 'service' ? delivery : []),
];
