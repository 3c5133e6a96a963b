import { Injectable } from '@nestjs/common';
import * as oidc from 'openid-client';
import { z } from 'zod';
import { FRESH_MS, type ProvenAccount } from '../../operators/operator-sessions.service';
import { highestOf, parseRole } from '../../operators/role';
import { Clock } from '../../platform/clock';
import { fetchWhole } from '../../platform/http/whole-answer';
import { AppConfig, type ConsoleProviderSettings } from '../../platform/settings/config';

/** In seconds. */
const DEADLINE = 5;
const MAX_BYTES = 1024 * 1024;
const FRESH_SECONDS = FRESH_MS / 1000;

/** What the browser of the operator keeps between the two steps. */
const pendingShape = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  isFresh: z.boolean(),
});

type PendingSignIn = z.infer<typeof pendingShape>;

/** A single group may come as a string. */
const names = z.union([z.string(), z.array(z.unknown())]).catch([]);
const claimsShape = z.object({
  email: z.string().catch(''),
  // Absent: the company's provider answers for its addresses.
  email_verified: z
    .unknown()
    .optional()
    .transform((value) => value !== false && value !== 'false'),
  groups: names,
  roles: names,
  auth_time: z.number().optional().catch(undefined),
});

/** The provider does not answer, or its description is not valid. */
export class ProviderUnavailableError extends Error {}

/** The provider, or the browser, did not bring what a sign-in needs. */
export class SignInFailedError extends Error {}

/**
 * The company's OpenID Connect provider: code flow with PKCE (OpenID Connect Core 1.0, section 3.1; RFC 7636), and its
 * `iss` where it sends one (RFC 9207). Without its settings operators sign in with one-time links only.
 */
@Injectable()
export class CompanyProvider {
  private readonly settings: ConsoleProviderSettings | undefined;
  private discovered: Promise<oidc.Configuration> | undefined;

  constructor(
    config: AppConfig,
    private readonly clock: Clock,
  ) {
    this.settings = config.consoleProvider;
  }

  get isSet(): boolean {
    return this.settings !== undefined;
  }

  /**
   * Where to send the browser, and what it keeps meanwhile. With `isFresh` the provider asks for the password again.
   */
  async begin(redirectUri: string, isFresh: boolean): Promise<{ address: string; pending: string }> {
    const provider = await this.discover();
    const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
    const known = provider.serverMetadata().scopes_supported ?? [];
    const address = oidc.buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri,
      scope: ['openid', 'email', ...['profile', 'groups'].filter((scope) => known.includes(scope))].join(' '),
      ...{ state, nonce, code_challenge_method: 'S256' },
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      ...(isFresh && { prompt: 'login', max_age: String(FRESH_SECONDS) }),
    });
    const pending: PendingSignIn = { state, nonce, verifier, isFresh };
    return { address: address.href, pending: JSON.stringify(pending) };
  }

  /** Who has signed in, once the browser is back at `address`. */
  async finish(address: string, pending: string | undefined): Promise<ProvenAccount> {
    const { state, nonce, verifier, isFresh } = parsePending(pending);
    const provider = await this.discover();
    try {
      const tokens = await oidc.authorizationCodeGrant(provider, new URL(address), {
        ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
        ...(isFresh && { maxAge: FRESH_SECONDS }),
      });
      const idToken = tokens.claims();
      if (!idToken) throw new SignInFailedError('The provider sent no ID token');
      return this.accountOf(idToken, await this.furtherClaims(provider, tokens.access_token, idToken));
    } catch (cause) {
      throw new SignInFailedError(`The provider did not sign the operator in: ${causesOf(cause)}`, { cause });
    }
  }

  /** Providers that keep to the letter answer claims of a scope here, and not in the ID token (OpenID Connect Core, 5.4). */
  private async furtherClaims(
    provider: oidc.Configuration,
    accessToken: string,
    idToken: oidc.IDToken,
  ): Promise<oidc.UserInfoResponse | undefined> {
    const hasAll = 'email' in idToken && ('groups' in idToken || 'roles' in idToken);
    if (hasAll || provider.serverMetadata().userinfo_endpoint === undefined) return undefined;
    return oidc.fetchUserInfo(provider, accessToken, idToken.sub);
  }

  private accountOf(idToken: oidc.IDToken, further: oidc.UserInfoResponse | undefined): ProvenAccount {
    const claims = claimsShape.parse({ ...further, ...idToken });
    const groups = [claims.groups, claims.roles].flat(2);
    const roles = (this.settings?.roles ?? [])
      .filter(([group]) => groups.includes(group))
      .flatMap(([, role]) => parseRole(role) ?? []);
    const { auth_time: seconds } = claims;
    return {
      ...{ issuer: idToken.iss, subject: idToken.sub, email: claims.email, isEmailVerified: claims.email_verified },
      role: highestOf(roles),
      authenticatedAt: seconds === undefined ? null : new Date(Math.min(seconds * 1000, this.clock.epochMs())),
    };
  }

  /** Once; again after it has failed. */
  private discover(): Promise<oidc.Configuration> {
    this.discovered ??= this.request().catch((cause: unknown) => {
      this.discovered = undefined;
      throw new ProviderUnavailableError(`The provider's description could not be fetched: ${causesOf(cause)}`, {
        cause,
      });
    });
    return this.discovered;
  }

  private request(): Promise<oidc.Configuration> {
    if (!this.settings) throw new Error('No provider is set');
    const { issuer, clientId, clientSecret } = this.settings;
    const isLoopback = issuer.startsWith('http:');
    return oidc.discovery(new URL(issuer), clientId, {}, oidc.ClientSecretBasic(clientSecret), {
      timeout: DEADLINE,
      [oidc.customFetch]: (url, options) => {
        const { signal = AbortSignal.timeout(DEADLINE * 1000) } = options;
        return fetchWhole(url, { ...(options as RequestInit), signal }, MAX_BYTES);
      },
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so that it is seen; settings allow loopback alone
      execute: isLoopback ? [oidc.allowInsecureRequests] : [],
    });
  }
}

/** What the library says, and what the provider told it. */
function causesOf(error: unknown): string {
  const causes: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { error_description: description } = cause as { error_description?: string };
    causes.push(cause.message, ...(description === undefined ? [] : [description]));
  }
  return causes.join(': ');
}

function parsePending(pending: string | undefined): PendingSignIn {
  try {
    return pendingShape.parse(JSON.parse(pending ?? ''));
  } catch (cause) {
    throw new SignInFailedError('The browser did not keep what the sign-in began with', { cause });
  }
}
