import { Counter, type Registry } from 'prom-client';

/** Recoveries of accounts, by the code of the touchpoint where they happen. */
export class RecoveryMetrics {
  private readonly begun: Counter<'touchpoint'>;
  private readonly finished: Counter<'touchpoint'>;
  private readonly wrongCodes: Counter<'touchpoint'>;

  constructor(registry: Registry) {
    const counter = (name: string, help: string) =>
      new Counter({ name, help, labelNames: ['touchpoint'] as const, registers: [registry] });
    this.begun = counter(
      'consumer_service_recoveries_begun_total',
      'Requests for a new password, also for unknown addresses.',
    );
    this.finished = counter('consumer_service_recoveries_finished_total', 'New passwords chosen with a code.');
    this.wrongCodes = counter('consumer_service_recovery_wrong_codes_total', 'Wrong codes for a new password.');
  }

  begin(touchpoint: string): void {
    this.begun.inc({ touchpoint });
  }

  finish(touchpoint: string): void {
    this.finished.inc({ touchpoint });
  }

  guessWrong(touchpoint: string): void {
    this.wrongCodes.inc({ touchpoint });
  }
}
