import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { PUBLIC_ROUTE } from '../platform/http/public.decorator';
import type { RequestLog } from '../platform/http/server/request-context';
import { judge } from '../platform/http/standing';
import { TouchpointCredentials } from './touchpoint-credentials';
import type { TouchpointRequest } from './touchpoint-request';

/** Admits a request only with the credential of an enabled touchpoint (specification, section 5.1). */
@Injectable()
export class TouchpointGuard implements CanActivate {
  constructor(
    private readonly credentials: TouchpointCredentials,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.reflector.get<boolean | undefined>(PUBLIC_ROUTE, context.getClass())) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<TouchpointRequest>();
    // Repeated headers arrive joined by a comma, which no code or key contains.
    const { 'x-touchpoint-code': code, 'x-touchpoint-key': key } = request.headers;
    await judge(request, async () => {
      const touchpoint = await this.credentials.authenticate(code as string | undefined, key as string | undefined);
      request.touchpoint = touchpoint;
      http.getResponse<Response<unknown, RequestLog>>().locals.touchpoint = touchpoint.code;
    });
    return true;
  }
}
