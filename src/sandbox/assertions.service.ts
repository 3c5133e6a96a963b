import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import type { Origin } from '../audit/origin';
import { Clock } from '../platform/clock';
import { newId } from '../platform/random';
import type { Touchpoint } from '../touchpoints/touchpoint.entity';
import { IdentityProvidersService } from '../touchpoints/identity-providers/identity-providers.service';
import type { AssertionDto } from './sandbox.dto';
import { SandboxRepository } from './sandbox.repository';

const ISSUER = 'https://provider.sandbox.test';
const ALGORITHM = 'EdDSA';
const LIFETIME_SECONDS = 300;
/** A touchpoint may be remembered without its new provider for half a second. */
const UNTIL_KNOWN_MS = 600;

/** An identity provider that every touchpoint trusts when it first asks for an assertion. */
@Injectable()
export class SandboxAssertions {
  private key: JWK | undefined;

  constructor(
    private readonly sandbox: SandboxRepository,
    private readonly providers: IdentityProvidersService,
    private readonly clock: Clock,
  ) {}

  /** A signed assertion for this touchpoint, good for five minutes by the touchpoint's clock. */
  async sign({ code, identityProviders }: Touchpoint, said: AssertionDto, origin: Origin): Promise<string> {
    const key = (this.key ??= await this.findKey());
    if (!identityProviders.some(({ issuer }) => issuer === ISSUER)) await this.beTrusted(code, key, origin);
    const issuedAt = Math.floor(this.clock.epochMs() / 1000);
    const claims = {
      email: said.email ?? undefined,
      email_verified: said.emailVerified ?? undefined,
      given_name: said.givenName ?? undefined,
      family_name: said.familyName ?? undefined,
    };
    return new SignJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, kid: key.kid ?? '' })
      .setIssuer(ISSUER)
      .setAudience(code)
      .setSubject(said.sub)
      .setJti(newId())
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + LIFETIME_SECONDS)
      .sign(await importJWK(key, ALGORITHM));
  }

  private async findKey(): Promise<JWK> {
    const { privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
    const jwk = await this.sandbox.keepKey(await exportJWK(privateKey));
    return { ...jwk, kid: createHash('sha256').update(String(jwk.x)).digest('base64url').slice(0, 16) };
  }

  private async beTrusted(code: string, { d: _private, ...publicKey }: JWK, origin: Origin): Promise<void> {
    const keys = { file: JSON.stringify({ keys: [publicKey] }) };
    const provider = { issuer: ISSUER, audience: code, keys, trustsEmail: true };
    const isTrusted = async () => (await this.providers.list(code)).some(({ issuer }) => issuer === ISSUER);
    if (!(await isTrusted())) {
      await this.providers.add(code, provider, origin).catch(async (error: unknown) => {
        // Another request was faster.
        if (!(await isTrusted())) throw error;
      });
    }
    await sleep(UNTIL_KNOWN_MS);
  }
}
