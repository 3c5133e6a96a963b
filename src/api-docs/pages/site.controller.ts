import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiError } from '../../platform/errors/api-error';
import { Public } from '../../platform/http/public.decorator';
import { PAGES } from './site';
import { SiteService } from './site.service';

/** Each by its name: any other address is refused without a credential, however it is spelled. */
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
    if (!answer) throw new ApiError('NOT_FOUND');
    answer.send(request, response);
  }
}
