import type { INestApplication } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { prefersPage } from './prefers-page';
import { SiteService } from './site.service';

/**
 * Redirects a browser from `/` to the first page of the documentation, and sends it a page for an address below `/docs/`
 * that has nothing. Whoever else asks is left to the routes.
 */
export function leadBrowsers(app: INestApplication): void {
  const site = app.get(SiteService);
  const isThere = async (path: string): Promise<boolean> =>
    path.startsWith('/docs/assets/') || (await site.page(path.slice('/docs/'.length))) !== undefined;
  const leadBelowDocs = async (path: string, response: Response, next: NextFunction): Promise<void> => {
    if (await isThere(path)) next();
    else sendMissing(response, await site.notFoundPage());
  };
  app.use((request: Request, response: Response, next: NextFunction) => {
    const { path, method } = request;
    const isOfPages = (path === '/' || path.startsWith('/docs/')) && ['GET', 'HEAD'].includes(method);
    if (!isOfPages || !prefersPage(request)) next();
    else if (path === '/') leadToStart(response);
    else leadBelowDocs(path, response, next).catch(next);
  });
}

function leadToStart(response: Response): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Vary', 'Accept');
  response.redirect('/docs/start');
}

function sendMissing(response: Response, html: string): void {
  response.status(404).set({ 'Cache-Control': 'no-store', Vary: 'Accept' }).type('html').send(html);
}
