import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { Channel } from '../message';

/** Announces the messages that a transaction of this process has committed. */
@Injectable()
export class Arrivals {
  /** The channels to which an open transaction has added messages. */
  private readonly added = new WeakMap<QueryRunner, Set<Channel>>();
  private readonly listeners = new Map<Channel, () => void>();

  constructor(@InjectDataSource() dataSource: DataSource) {
    dataSource.subscribers.push({
      afterTransactionCommit: ({ queryRunner }) => {
        if (queryRunner.isTransactionActive) return;
        for (const channel of this.added.get(queryRunner) ?? []) this.listeners.get(channel)?.();
        this.added.delete(queryRunner);
      },
    });
  }

  /** Refused outside a transaction: the message could be kept without its change. */
  expect({ queryRunner }: EntityManager, channel: Channel): void {
    if (!queryRunner?.isTransactionActive) throw new Error('A message can be added only in a transaction');
    this.added.set(queryRunner, (this.added.get(queryRunner) ?? new Set()).add(channel));
  }

  listen(channel: Channel, hear: () => void): void {
    this.listeners.set(channel, hear);
  }
}
