import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { AuditService } from '../audit/audit.service';
import type { Origin } from '../audit/origin';
import { isUuid } from '../platform/values/uuid';
import { Arrivals } from './queue/arrivals';
import { MessageRepository } from './queue/message.repository';

/** A refusal that the administrator reads as one line. */
export class MessageError extends Error {}

/** What administrators do with messages that have not been handed over. */
@Injectable()
export class MessageAdministration {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly messages: MessageRepository,
    private readonly arrivals: Arrivals,
    private readonly audit: AuditService,
  ) {}

  /** Tries a message at once that waits for its next attempt, or was given up. */
  async retry(messageId: string, origin: Origin): Promise<{ id: string; kind: string }> {
    return this.dataSource.transaction(async (manager) => {
      const message = isUuid(messageId) ? await this.messages.requeue(manager, messageId) : null;
      if (!message) throw new MessageError(`No message ${messageId} has failed`);
      this.arrivals.expect(manager, message.channel);
      const details = { messageId, kind: message.kind };
      await this.audit.record(manager, origin, { type: 'message.retried', details });
      return { id: messageId, kind: message.kind };
    });
  }

  /** Deletes a message that nobody is sending. */
  async drop(messageId: string, origin: Origin): Promise<{ id: string; kind: string }> {
    return this.dataSource.transaction(async (manager) => {
      const message = isUuid(messageId) ? await this.messages.discard(manager, messageId) : null;
      if (!message) throw new MessageError(`No message ${messageId} waits, or it is being sent`);
      const details = { messageId, kind: message.kind };
      await this.audit.record(manager, origin, { type: 'message.dropped', details });
      return { id: messageId, kind: message.kind };
    });
  }
}
