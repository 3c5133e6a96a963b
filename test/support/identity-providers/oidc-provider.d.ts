/** What the tests use of the package, which has no types of its own. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface Account {
    accountId: string;
    claims: () => Record<string, unknown>;
  }

  export class Provider {
    constructor(
      issuer: string,
      configuration: {
        clients: object[];
        claims: Record<string, string[]>;
        conformIdTokenClaims: boolean;
        findAccount: (context: unknown, id: string) => Account;
      },
    );
    callback(): RequestListener;
  }
}
