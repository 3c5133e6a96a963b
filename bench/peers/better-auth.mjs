// better-auth as its documentation sets it up on PostgreSQL and Node's own server, its limits switched off.
import { createServer } from 'node:http';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import pg from 'pg';

const { DATABASE_URL, APP_SECRET, PORT } = process.env;

const auth = betterAuth({
  baseURL: `http://127.0.0.1:${PORT}`,
  secret: APP_SECRET,
  database: new pg.Pool({ connectionString: DATABASE_URL, max: 10 }),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
});
await (await getMigrations(auth.options)).runMigrations();

const handle = toNodeHandler(auth);
createServer((request, response) => {
  if (request.url === '/health') response.end();
  else void handle(request, response);
}).listen(Number(PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
