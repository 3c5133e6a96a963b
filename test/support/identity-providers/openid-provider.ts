import { type ChildProcess, fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';

const CLIENT = {
  client_id: 'shop',
  client_secret: 'the secret of the shop',
  redirect_uris: ['https://shop.example.com/callback'],
};
const [REDIRECT_URI = ''] = CLIENT.redirect_uris;

interface Settings {
  claims?: Claims;
  people?: Record<string, Claims>;
  redirectUri?: string;
}

type Claims = Record<string, unknown>;

/** A real OpenID Connect provider (`oidc-provider`, an ES module) in a process of its own. */
export class OpenIdProvider {
  readonly audience = CLIENT.client_id;
  readonly clientSecret = CLIENT.client_secret;

  private constructor(
    readonly issuer: string,
    private readonly child: ChildProcess,
    private readonly redirectUri: string,
  ) {}

  /** `claims` are said of everybody, `people` of who signs in by that name. */
  static async start({ claims = {}, people = {}, redirectUri = REDIRECT_URI }: Settings): Promise<OpenIdProvider> {
    const client = { ...CLIENT, redirect_uris: [redirectUri] };
    const settings = JSON.stringify({ client, claims, people });
    const child = fork(join(__dirname, 'openid-provider.process.mjs'), [settings], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
    });
    const [issuer] = (await once(child, 'message')) as [string];
    return new OpenIdProvider(issuer, child, redirectUri);
  }

  async jwksUri(): Promise<string> {
    const discovery = await fetch(`${this.issuer}/.well-known/openid-configuration`);
    return ((await discovery.json()) as { jwks_uri: string }).jwks_uri;
  }

  /** Signs somebody in as a browser would, by the authorization code flow with PKCE, and returns the ID token. */
  async signIn(login: string): Promise<string> {
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      client_id: CLIENT.client_id,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'openid email profile',
      // Without it, tokens of one second would be one and the same.
      nonce: randomBytes(16).toString('base64url'),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const callback = await this.answer(`${this.issuer}/auth?${query.toString()}`, login);
    return this.exchange(callback.searchParams.get('code') ?? '', verifier);
  }

  /** Signs somebody in at an address to which a client has sent the browser; where it is sent back to. */
  async answer(address: string, login: string): Promise<URL> {
    const browser = new Browser(this.redirectUri);
    const loginPage = await browser.follow(address);
    const consentPage = await browser.follow(loginPage, { prompt: 'login', login, password: 'any' });
    return new URL(await browser.follow(consentPage, { prompt: 'consent' }));
  }

  async close(): Promise<void> {
    const exit = once(this.child, 'exit');
    this.child.disconnect();
    await exit;
  }

  private async exchange(code: string, verifier: string): Promise<string> {
    const credential = [CLIENT.client_id, CLIENT.client_secret].map(encodeURIComponent).join(':');
    const answer = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(credential).toString('base64')}` },
      body: new URLSearchParams({
        ...{ grant_type: 'authorization_code', code, code_verifier: verifier },
        redirect_uri: REDIRECT_URI,
      }),
    });
    const { id_token: idToken } = (await answer.json()) as { id_token?: string };
    if (idToken === undefined) throw new Error(`The provider issued no ID token (${answer.status})`);
    return idToken;
  }
}

/** Keeps cookies and follows redirects, until a page is shown or the way leads back to the client. */
class Browser {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly redirectUri: string) {}

  /** The address of the page that is shown in the end. */
  async follow(address: string, form?: Record<string, string>): Promise<string> {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { Cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    await response.text();
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    if (response.status === 200) return address;
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${address} answered ${response.status}`);
    const next = new URL(location, address);
    return next.href.startsWith(this.redirectUri) ? next.href : this.follow(next.href);
  }
}
