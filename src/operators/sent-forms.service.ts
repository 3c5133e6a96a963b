import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock';
import { OperatorRepository } from './operator.repository';

/** Remembers which forms of the console have been sent, so that each does one thing. */
@Injectable()
export class SentForms {
  constructor(
    private readonly operators: OperatorRepository,
    private readonly clock: Clock,
  ) {}

  /** False if the form has been sent before. */
  spend(id: string): Promise<boolean> {
    return this.operators.spendForm(id, this.clock.now());
  }

  /** Lets a form be sent again whose act failed; while the database is away it stays spent. */
  async release(id: string): Promise<void> {
    await this.operators.releaseForm(id).catch(() => undefined);
  }
}
