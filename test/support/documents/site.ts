export interface SitePage {
  address: string;
  status: number;
  contentType: string | null;
  policy: string | null;
  html: string;
}

const linksIn = (html: string): string[] =>
  [...html.matchAll(/<a href="([^"]+)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));

/** The documentation as a reader without a credential sees it. */
export class DocumentationSite {
  private readonly read = new Map<string, Promise<SitePage>>();

  constructor(private readonly baseUrl: string) {}

  /** What the navigation of the first page names. */
  async pages(): Promise<SitePage[]> {
    const { html } = await this.page('/docs/start');
    const [, navigation = ''] = /<nav class="pages"[^>]*>(.*?)<\/nav>/s.exec(html) ?? [];
    return Promise.all(linksIn(navigation).map((address) => this.page(address)));
  }

  /** Those, and the pages of the errors. */
  async allPages(): Promise<SitePage[]> {
    const errors = linksIn((await this.page('/docs/errors')).html).filter((link) => link.startsWith('/docs/errors/'));
    return [...(await this.pages()), ...(await Promise.all([...new Set(errors)].map((address) => this.page(address))))];
  }

  /** Links within the service that lead nowhere, each with the page it stands on. */
  async brokenLinks(pages: Pick<SitePage, 'address' | 'html'>[]): Promise<string[]> {
    const broken: string[] = [];
    for (const { address, html } of pages) {
      for (const link of new Set(linksIn(html))) {
        if (/^(https?|mailto):/.test(link)) continue;
        const [path = '', anchor] = link.split('#');
        const target = await this.page(path === '' ? address : path);
        const isThere = target.status === 200 && (anchor === undefined || target.html.includes(` id="${anchor}"`));
        if (!isThere || !/^[/#]/.test(link)) broken.push(`${address}: ${link}`);
      }
    }
    return broken;
  }

  private page(address: string): Promise<SitePage> {
    const known = this.read.get(address) ?? this.fetched(address);
    this.read.set(address, known);
    return known;
  }

  private async fetched(address: string): Promise<SitePage> {
    const response = await fetch(new URL(address, this.baseUrl), { redirect: 'manual' });
    const { status, headers } = response;
    const [contentType, policy] = ['content-type', 'content-security-policy'].map((name) => headers.get(name));
    return {
      ...{ address, status, contentType: contentType ?? null, policy: policy ?? null },
      html: await response.text(),
    };
  }
}
