import { Controller, Get, Next, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { ApiError } from '../../platform/errors/api-error';
import { FALLBACK_PATH } from '../../platform/http/fallback/fallback-path';
import { Public } from '../../platform/http/public.decorator';
import { PAGE_POLICY } from './content-policy';
import { prefersPage } from './prefers-page';
import { PAGES } from './site';
import { SiteService } from './site.service';

/** Each by its name: a program is refused any other address without a credential, however it is spelled. */
const ADDRESSES = [...PAGES.filter(({ slug }) => slug !== '').map(({ slug }) => slug), 'errors/:code'];

/** The documentation for partner developers, but for the page that Swagger UI makes. */
@ApiExcludeController()
@Public()
@Controller('docs')
export class SiteController {
  constructor(private readonly site: SiteService) {}

  @Get('assets/:name')
  async file(@Param('name') name: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const answer = await this.site.file(name);
    if (!answer) throw new ApiError('NOT_FOUND');
    answer.send(request, response);
  }

  @Get(ADDRESSES)
  async page(@Req() request: Request, @Res() response: Response): Promise<void> {
    const answer = await this.site.page(request.path.slice('/docs/'.length));
    if (answer) answer.send(request, response);
    else if (prefersPage(request)) await this.lead(response);
    else throw new ApiError('NOT_FOUND');
  }

  /** Programs go on to what refuses unknown addresses everywhere. */
  @Get(FALLBACK_PATH)
  async unknown(@Req() request: Request, @Res() response: Response, @Next() next: NextFunction): Promise<void> {
    if (prefersPage(request)) await this.lead(response);
    else next();
  }

  /** Who has mistyped an address finds the pages. */
  private async lead(response: Response): Promise<void> {
    const html = await this.site.notFoundPage();
    response.status(404).set({ 'Cache-Control': 'no-store', Vary: 'Accept', 'Content-Security-Policy': PAGE_POLICY });
    response.type('html').send(html);
  }
}
