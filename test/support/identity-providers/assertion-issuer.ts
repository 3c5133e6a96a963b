import { randomUUID } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

/** How the server answers who asks for the keys. */
export type KeyServerBehaviour = 'keys' | 'mute' | 'trickle' | 'endless' | 'redirect' | 'error' | 'prose' | 'no set';

/** Whose time the assertions bear. */
interface Clock {
  epochMs(): number;
}

interface SigningKey {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  publicJwk: JWK;
}

/** Somebody who signs assertions, and publishes the keys. */
export class AssertionIssuer {
  behaviour: KeyServerBehaviour = 'keys';
  /** What happens before the keys are answered. */
  meanwhile: () => Promise<unknown> = () => Promise.resolve();
  /** How often the keys were asked for, and how much was sent. */
  requests = 0;
  bytesSent = 0;

  private constructor(
    private readonly server: Server,
    private readonly clock: Clock,
    private key: SigningKey,
  ) {
    server.on('request', (_, response) => {
      this.requests += 1;
      void this.meanwhile().then(() => {
        this.answer(response);
      });
    });
  }

  static async start(clock: Clock = { epochMs: () => Date.now() }, alg = 'ES256'): Promise<AssertionIssuer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new AssertionIssuer(server, clock, await newKey(alg));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get jwksUri(): string {
    return `${this.url}/jwks`;
  }

  get publicJwk(): JWK {
    return this.key.publicJwk;
  }

  /** Signs with a new key from now on, and publishes no other. */
  async rollOver(): Promise<void> {
    this.key = await newKey(this.key.alg);
  }

  /** A good assertion for the audience `shop`, but for what is said otherwise; undefined leaves a claim out. */
  sign(claims: JWTPayload = {}, header: Record<string, unknown> = {}): Promise<string> {
    return this.signWith(this.key, claims, header);
  }

  /** The same with a key that only bears the name of the issuer's. */
  async forge(): Promise<string> {
    return this.signWith({ ...(await newKey(this.key.alg)), kid: this.key.kid });
  }

  claims(): JWTPayload {
    const now = Math.floor(this.clock.epochMs() / 1000);
    return { iss: this.url, aud: 'shop', sub: randomUUID(), jti: randomUUID(), iat: now, exp: now + 300 };
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private signWith({ alg, kid, privateKey }: SigningKey, claims = {}, header = {}): Promise<string> {
    return new SignJWT({ ...this.claims(), ...claims }).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
  }

  private answer(response: ServerResponse): void {
    const json = { 'Content-Type': 'application/json' };
    switch (this.behaviour) {
      case 'keys':
        response.writeHead(200, json).end(JSON.stringify({ keys: [this.key.publicJwk] }));
        return;
      case 'mute':
        return;
      case 'trickle': {
        response.writeHead(200, json).write('{"keys":[');
        const timer = setInterval(() => response.write(' '), 100);
        response.on('close', () => {
          clearInterval(timer);
        });
        return;
      }
      case 'endless':
        response.writeHead(200, json);
        this.pour(response);
        return;
      case 'redirect':
        response.writeHead(302, { Location: this.jwksUri }).end();
        return;
      case 'error':
        response.writeHead(500, json).end(JSON.stringify({ keys: [this.key.publicJwk] }));
        return;
      case 'prose':
        response.writeHead(200, json).end('These are not the keys you are looking for.');
        return;
      case 'no set':
        response.writeHead(200, json).end('{"keys":{}}');
        return;
    }
  }

  private pour(response: ServerResponse): void {
    const chunk = Buffer.alloc(64 * 1024, ' ');
    while (!response.destroyed) {
      this.bytesSent += chunk.length;
      if (!response.write(chunk)) break;
    }
    response.once('drain', () => {
      this.pour(response);
    });
  }
}

async function newKey(alg: string): Promise<SigningKey> {
  const kid = randomUUID();
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}
