/** A browser as far as forms need one: it keeps cookies and follows redirects. */
export class FormBrowser {
  private readonly cookies = new Map<string, string>();
  status = 0;
  path = '';
  html = '';

  /** `headers` come with every request. */
  constructor(
    readonly baseUrl: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  /** The text of the page without its markup. */
  get text(): string {
    return this.html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  }

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  get links(): string[] {
    return [...this.html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) => href);
  }

  async get(path: string): Promise<void> {
    await this.send('GET', path);
  }

  /**
   * Sends a form of the present page that goes to `action`, with its hidden fields and these: of several, as for each row of
   * a table, the first whose hidden fields say nothing else than these.
   */
  async submit(action: string, fields: Record<string, string> = {}): Promise<void> {
    const forms = [...this.html.matchAll(/<form method="post"(?: action="([^"]*)")?[^>]*>([^]*?)<\/form>/g)]
      .filter(([, target = this.path]) => target === action)
      .map(([, , form = '']) => hiddenFieldsOf(form));
    const hidden = forms.find((form) =>
      Object.entries(form).every(([name, value]) => (fields[name] ?? value) === value),
    );
    if (!hidden) throw new Error(`There is no such form to ${action} on ${this.path}: ${this.text}`);
    await this.send('POST', action, new URLSearchParams({ ...hidden, ...fields }));
  }

  /** Any request; redirects are followed, but not to another site: its address is then the path. */
  async send(method: string, path: string, body?: URLSearchParams): Promise<void> {
    const response = await fetch(this.baseUrl + path, {
      ...{
        method,
        redirect: 'manual',
        headers: { cookie: this.cookieHeader, 'Sec-Fetch-Site': 'same-origin', ...this.headers },
      },
      ...(body && { body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    this.html = await response.text();
    const location = response.headers.get('location');
    if (location?.startsWith('/')) await this.get(location);
    else [this.status, this.path] = [response.status, location ?? path];
  }
}

const hiddenFieldsOf = (form: string): Record<string, string> =>
  Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
