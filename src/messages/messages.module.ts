import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { ExpiredRows } from '../platform/jobs/expired-rows';
import { AddressedMessages } from './addressed-messages';
import { MessageAdministration } from './message-administration';
import { MessageList } from './message-list';
import { Messages } from './messages.service';
import { Arrivals } from './queue/arrivals';
import { MessageSeal } from './queue/message-seal';
import { MessageRepository } from './queue/message.repository';

/**
 * The queue of messages to consumers, e-mail and SMS: a message is sealed and added in the transaction of the change.
 * Whether one may be sent, and to whom, is decided above, in `verification`; handing messages over is
 * `MessageDeliveryModule`. Below stand the platform and the audit trail. Owns the table `message`.
 */
@Module({
  imports: [AuditModule],
  providers: [
    AddressedMessages,
    Arrivals,
    MessageAdministration,
    MessageList,
    MessageRepository,
    Messages,
    MessageSeal,
  ],
  exports: [AddressedMessages, Arrivals, MessageAdministration, MessageList, MessageRepository, Messages, MessageSeal],
})
export class MessagesModule {
  constructor(expired: ExpiredRows) {
    expired.register({ table: 'message', column: 'kept_until' });
  }
}
