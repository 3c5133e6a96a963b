import { Module } from '@nestjs/common';
import { AddressedMessages } from './addressed-messages';
import { MessageList } from './message-list';
import { Messages } from './messages.service';
import { MessageSeal } from './queue/message-seal';

/**
 * The queue of messages to consumers, e-mail and SMS: a message is sealed and added in the transaction of the change
 * that it tells of. Whether one may be sent, and to whom, is decided above, in `verification`; handing messages over is
 * `MessageDeliveryModule`. Below stand the platform, whose jobs carry the queue, and the audit trail.
 */
@Module({
  providers: [AddressedMessages, MessageList, Messages, MessageSeal],
  exports: [AddressedMessages, MessageList, Messages, MessageSeal],
})
export class MessagesModule {}
