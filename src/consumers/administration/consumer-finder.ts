import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { type LoginIdentifier, parseLoginIdentifier } from '../../auth/identifiers/login-identifier';

/** A refusal that the administrator reads as one line. */
export class ConsumerError extends Error {}

export function noConsumer(text: string): Error {
  const typed = text.trim();
  return new ConsumerError(
    typed === ''
      ? 'No consumer was named: give a customer id, an e-mail address or a phone number'
      : `There is no consumer ${typed}`,
  );
}

/** Finds consumers for administrators. */
@Injectable()
export class ConsumerFinder {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The id of the consumer who has this customer id, e-mail address or phone number, in any spelling of it. */
  async find(text: string): Promise<string> {
    const [consumer] = await this.holders(parseLoginIdentifier(text));
    if (!consumer) throw noConsumer(text);
    return consumer.id;
  }

  private async holders({ kind, value }: LoginIdentifier): Promise<{ id: string }[]> {
    if (kind === 'unknown') return [];
    return kind === 'customerId'
      ? this.dataSource.query('SELECT id FROM consumer WHERE id = $1', [value])
      : this.dataSource.query(
          'SELECT consumer_id AS id FROM identifier WHERE value = $1 AND kind = $2 AND NOT pending',
          [value, kind],
        );
  }
}
