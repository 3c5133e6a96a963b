import { All, Controller, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ApiError } from '../../errors/api-error';
import type { ApiRequest } from '../api-request';
import { FALLBACK_PATH } from './fallback-path';

interface RouterLayer {
  match(path: string): boolean;
  route?: { path: string; methods: Record<string, boolean> };
}

/** Must be registered last. */
@ApiExcludeController()
@Controller()
export class FallbackController {
  @All(FALLBACK_PATH)
  refuse(@Req() request: ApiRequest): never {
    throw refusalOfUnknown(request);
  }
}

/** For an address that is not known, or not with this method. */
export function refusalOfUnknown(request: ApiRequest): ApiError {
  const methods = allowedMethods(request);
  if (methods.length === 0) return new ApiError('NOT_FOUND');
  return new ApiError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } });
}

/** The methods that the application's own routes take at this path, as its router knows them. */
function allowedMethods({ app, path }: ApiRequest): string[] {
  const { stack } = app.router as unknown as { stack: RouterLayer[] };
  const methods = new Set<string>();
  for (const layer of stack) {
    if (!layer.route || layer.route.path.includes(FALLBACK_PATH) || !layer.match(path)) continue;
    for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}
