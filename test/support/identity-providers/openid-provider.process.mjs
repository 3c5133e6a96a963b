import { once } from 'node:events';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

/** An OpenID Connect provider with one client, where everybody who asks has an account; its settings come as JSON. */
const { client, claims, people } = JSON.parse(process.argv[2] ?? '');

const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
const issuer = `http://127.0.0.1:${port}`;
const provider = new Provider(issuer, {
  clients: [client],
  claims: { email: ['email', 'email_verified'], groups: ['groups'], profile: ['given_name', 'family_name', 'locale'] },
  conformIdTokenClaims: false,
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...claims, ...people[id] }) }),
});
server.on('request', provider.callback());
process.on('disconnect', () => process.exit());
process.send?.(issuer);
