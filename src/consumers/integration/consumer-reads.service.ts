import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { AuditService } from '../../audit/audit.service';
import type { SubscriberRequest } from '../../events/subscribers/subscriber-request';
import { ApiError } from '../../platform/errors/api-error';
import { isUuid } from '../../platform/values/uuid';
import { ConsumerRepository } from '../../profiles/consumer.repository';
import { ProfilesService } from '../profile/profiles.service';
import type { IntegrationProfileDto } from './integration-profile.dto';

/** Shows profiles to subscribers; each read is recorded. */
@Injectable()
export class ConsumerReadsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly profiles: ProfilesService,
    private readonly consumers: ConsumerRepository,
    private readonly audit: AuditService,
  ) {}

  async read({ subscriber, requestId }: SubscriberRequest, consumerId: string): Promise<IntegrationProfileDto> {
    if (!subscriber.readsConsumers) throw new ApiError('CONSUMER_READ_NOT_ALLOWED');
    if (!isUuid(consumerId)) throw new ApiError('NOT_FOUND');
    return this.dataSource.transaction('REPEATABLE READ', async (manager) => {
      const profile = await this.profiles.find(manager, consumerId);
      if (!profile) throw new ApiError('NOT_FOUND');
      const disabledAt = await this.consumers.findDisabledAt(manager, consumerId);
      const details = { subscriber: subscriber.code };
      const origin = { actor: 'subscriber', requestId } as const;
      await this.audit.record(manager, origin, { type: 'consumer.read', consumerId, details });
      return Object.assign(profile, { disabledAt: disabledAt?.toISOString() ?? null });
    });
  }
}
