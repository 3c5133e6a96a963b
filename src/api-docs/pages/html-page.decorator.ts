import { applyDecorators, Header } from '@nestjs/common';
import { PAGE_POLICY } from './html-page';

/** The route answers a page that may be cached for an hour. */
export const HtmlPage = (): MethodDecorator =>
  applyDecorators(
    Header('Content-Type', 'text/html; charset=utf-8'),
    Header('Cache-Control', 'public, max-age=3600'),
    Header('Content-Security-Policy', PAGE_POLICY),
  );
