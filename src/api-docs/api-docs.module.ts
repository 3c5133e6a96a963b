import { Module } from '@nestjs/common';
import { SiteController } from './pages/site.controller';
import { SiteService } from './pages/site.service';

/**
 * The documentation for partner developers: pages from the Markdown of the repository, a page for each error, and their
 * search. The OpenAPI document and the page that tries it are made from the whole application (`openapi/`). It knows no
 * feature; only `app` stands above. Owns no table.
 */
@Module({ controllers: [SiteController], providers: [SiteService] })
export class ApiDocsModule {}
