import { Injectable } from '@nestjs/common';
import { AssertionVerifier } from '../../auth/assertions/assertion-verifier';
import type { TouchpointRequest } from '../../touchpoints/touchpoint-request';
import type { ReplayRule } from '../idempotency/lease';

/** Repeats no outcome for an issuer that the touchpoint no longer trusts (`ASSERTION_INVALID`). */
@Injectable()
export class TrustedIssuer implements ReplayRule {
  constructor(private readonly assertions: AssertionVerifier) {}

  requireStillGranted({ touchpoint, body }: TouchpointRequest): void {
    const { assertion } = body as { assertion?: unknown };
    this.assertions.providerOf(String(assertion), touchpoint.identityProviders);
  }
}
