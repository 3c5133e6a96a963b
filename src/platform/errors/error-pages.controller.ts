import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../http/public.decorator';
import { ApiError } from './api-error';
import { type CatalogEntry, ERROR_CATALOG } from './error-catalog';

/** What a status asks of the client. */
const ADVICE: Record<number, string> = {
  400: 'Mend the input; the same request will be refused again.',
  401: 'Mend the credential.',
  403: 'This touchpoint may not do this; an administrator can change its settings.',
  404: 'Mend the address.',
  405: 'Use one of the methods in the Allow header.',
  408: 'Send the request again, faster.',
  409: 'The present state forbids it; read it again and decide.',
  410: 'Start the flow again.',
  412: 'Read the resource again and repeat the change.',
  413: 'Send a smaller body: 16 KiB at most.',
  415: 'Send JSON in UTF-8, without a content encoding.',
  417: 'Leave the Expect header out.',
  429: 'Wait as long as Retry-After says, then send the request again.',
  431: 'Send fewer or shorter headers.',
  500: 'Send the request again later; tell us its requestId if that does not help.',
  501: 'Do not call this route yet.',
  503: 'Wait as long as Retry-After says, then send the request again.',
};

/** The pages that the `type` of a problem points to. */
@ApiExcludeController()
@Public()
@Controller('docs/errors')
export class ErrorPagesController {
  @Get(':code')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Cache-Control', 'public, max-age=3600')
  page(@Param('code') code: string): string {
    if (!Object.hasOwn(ERROR_CATALOG, code)) throw new ApiError('NOT_FOUND');
    const { status, title }: CatalogEntry = ERROR_CATALOG[code as keyof typeof ERROR_CATALOG];
    return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${code}</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem }</style>
<h1><code>${code}</code></h1>
<p>Status ${status}. ${title}</p>
<h2>What to do</h2>
<p>${ADVICE[status] ?? ''}</p>
<p><a href="/docs">The API’s documentation</a></p>
</html>
`;
  }
}
