import { createHmac } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { randomSecret } from '../../../platform/random';
import type { ConsumerRows } from '../consumer-rows';
import {
  judge,
  keyOf,
  type ParsedLine,
  type UniqueValue,
  uniqueValuesIn,
  uniqueValuesOf,
  type Verdict,
} from './verdict';

/** Among a hundred million values, any two share so much of a digest with a chance below one in a hundred million. */
const DIGEST_BYTES = 10;

/** Checks batches as an import would, and writes nothing; short digests stand for the values of earlier lines. */
export class Rehearsal {
  private readonly key = randomSecret(32);
  /** One a field, because a set holds 16 million entries at most. */
  private readonly taken = {
    customerId: new Set<string>(),
    email: new Set<string>(),
    phone: new Set<string>(),
    externalIdentities: new Set<string>(),
  };

  constructor(
    private readonly manager: EntityManager,
    private readonly rows: ConsumerRows,
  ) {}

  async judge(lines: ParsedLine[]): Promise<Verdict> {
    const values = uniqueValuesIn(lines);
    const earlier = values.filter((value) => this.taken[value.field].has(this.digestOf(value))).map(keyOf);
    const verdict = judge(lines, [...earlier, ...(await this.rows.taken(this.manager, values))]);
    for (const value of verdict.accepted.flatMap(uniqueValuesOf)) this.taken[value.field].add(this.digestOf(value));
    return verdict;
  }

  private digestOf({ value }: UniqueValue): string {
    return createHmac('sha256', this.key).update(value).digest().toString('base64', 0, DIGEST_BYTES);
  }
}
