import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, type Type } from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { catchError, concatMap, from, map, type Observable, of, throwError } from 'rxjs';
import { Caller } from '../../auth/sessions/caller';
import { idempotencyKeyOf } from './idempotency-key';
import { IdempotencyService } from './idempotency.service';
import { IDEMPOTENT, type IdempotentOperation, type LeasedRequest, type ReplayRule } from './lease';
import { LeaseRelease } from './lease-release';
import { answerWith, type Outcome } from './outcome';

/** Takes the lease of an `Idempotency-Key` before the handler runs, or answers in its place with the outcome that was kept. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor<Outcome> {
  constructor(
    private readonly reflector: Reflector,
    private readonly modules: ModuleRef,
    private readonly idempotency: IdempotencyService,
    private readonly leases: LeaseRelease,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler<Outcome>): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<LeasedRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    const answer = map((outcome: Outcome) => answerWith(response, outcome));
    const { value = '', violations = [] } = idempotencyKeyOf(request) ?? {};
    request.lease = { id: null, violations };
    if (value === '' || violations.length > 0) return next.handle().pipe(answer);

    const { operation, rule } = this.route(context);
    const keyed = this.idempotency.keyed(request.touchpoint, operation, value, request.body as object);
    request.lease.id = await this.idempotency.begin(keyed);
    if (request.lease.id !== null) return next.handle().pipe(answer, catchError(this.free(request.lease.id)));

    const known = await this.idempotency.find(keyed);
    if (rule) this.modules.get<ReplayRule>(rule, { strict: false }).requireStillGranted(request);
    const outcome = await this.idempotency.replay(new Caller(request), operation, known);
    return of(outcome).pipe(answer);
  }

  private route(context: ExecutionContext): { operation: IdempotentOperation; rule?: Type<ReplayRule> } {
    return this.reflector.get(IDEMPOTENT, context.getHandler());
  }

  /** A request without an outcome frees its key. */
  private free(lease: string) {
    return (error: unknown): Observable<never> =>
      from(this.leases.free(lease)).pipe(concatMap(() => throwError(() => error)));
  }
}
