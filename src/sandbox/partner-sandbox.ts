import type { Sandbox } from '../platform/sandbox';
import type { SandboxClock } from './sandbox-clock';

/** Reserved for tests (RFC 2606, section 2). */
const TEST_DOMAIN = /@(?:[^@]+\.)?[^@.]+\.test$/i;
/** Numbers of North America that nobody has: the line numbers 0100 to 0199 of the exchange 555. */
const TEST_NUMBER = /^\+1[2-9]\d{2}55501\d{2}$/;

/** The sandbox of this process. */
export class PartnerSandbox implements Sandbox {
  readonly headers = { Sandbox: 'true' };

  constructor(readonly clock: SandboxClock) {}

  isTestAddress(address: string): boolean {
    return TEST_DOMAIN.test(address) || TEST_NUMBER.test(address);
  }

  codeFor(address: string, digits: number): string | null {
    return this.isTestAddress(address) ? '42'.repeat(digits / 2) : null;
  }

  /** A command has no touchpoint, so it cannot clear these counts. */
  limitKey(key: string): string {
    return `${this.clock.touchpointId ?? ''}\n${key}`;
  }

  handle(next: () => void): void {
    this.clock.run(next);
  }
}
