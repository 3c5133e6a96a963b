import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ApiError } from '../errors/api-error';
import type { ApiRequest } from './api-request';

/** Answers what HTTP asks every server to refuse, once the credential has been judged (RFC 9110, sections 7.2 and 10.1.1). */
@Injectable()
export class ExpectationGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<ApiRequest>();
    if (request.unknownExpectation) throw new ApiError('EXPECTATION_FAILED');
    if (request.httpVersion === '1.1' && request.headers.host === undefined) {
      throw new ApiError('BAD_REQUEST', { detail: 'The Host header is missing.' });
    }
    return true;
  }
}
