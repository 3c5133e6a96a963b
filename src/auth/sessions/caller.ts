import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Origin } from '../../audit/origin';
import { consumerIpOf } from '../../touchpoints/consumer-ip';
import type { Touchpoint } from '../../touchpoints/touchpoint.entity';
import { type TouchpointRequest, touchpointRequestOf } from '../../touchpoints/touchpoint-request';
import type { SessionPrincipal } from './session-principal';

/** Who sends a request: a touchpoint's backend. */
export class Caller {
  readonly touchpoint: Touchpoint;
  readonly requestId: string;
  /** The consumer's IP address, in the form in which it is counted, when the touchpoint passed it on. */
  readonly consumerIp: string | null;

  constructor(request: TouchpointRequest) {
    this.touchpoint = request.touchpoint;
    this.requestId = request.requestId;
    this.consumerIp = consumerIpOf(request);
  }

  /** The caller as the audit trail keeps it. */
  get origin(): Origin {
    return { actor: 'touchpoint', touchpoint: this.touchpoint.code, requestId: this.requestId };
  }
}

/** A touchpoint's backend with the token of a consumer, whose session is live. */
export class SignedInCaller extends Caller {
  constructor(
    request: TouchpointRequest,
    readonly session: SessionPrincipal,
  ) {
    super(request);
  }

  override get origin(): Origin {
    return { ...super.origin, actor: 'consumer' };
  }
}

/** Who sends the request, on a route that needs no session. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller => new Caller(touchpointRequestOf(context)),
);
