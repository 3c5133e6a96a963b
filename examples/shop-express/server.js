// The start of the shop: its settings, the client of the consumer service, and what every request passes.
import { ConsumerServiceClient } from 'consumer-service-client';
import express from 'express';
import { accountRoutes } from './account.js';
import { html, show } from './pages.js';
import { passwordRoutes } from './password.js';
import { explain } from './problems.js';
import { profileRoutes } from './profile.js';
import { end, load } from './sessions.js';
import { shopRoutes } from './shop.js';

const { SERVICE_URL = 'http://127.0.0.1:3000', TOUCHPOINT_CODE = 'shop', TOUCHPOINT_KEY, PORT = '8080' } = process.env;
if (!TOUCHPOINT_KEY) throw new Error('Set TOUCHPOINT_KEY to the key of the touchpoint');

// The key stays in this process: no page and no script in a browser ever sees it.
const client = new ConsumerServiceClient({
  baseUrl: SERVICE_URL,
  touchpoint: { code: TOUCHPOINT_CODE, key: TOUCHPOINT_KEY },
  onIgnoredFields: (names, { url }) => console.warn(`${url} ignored ${names.join(', ')}`),
});

const app = express();
app.disable('x-powered-by');
// How many proxies stand before the shop. Without it `request.ip` is a proxy's, and all consumers share its limits.
app.set('trust proxy', Number(process.env.TRUSTED_PROXIES ?? 0));

// Nothing from elsewhere, no script, no frame around the shop: also what somebody managed to write into a page.
const POLICY = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
app.use((_request, response, next) => {
  response.set({
    'Content-Security-Policy': POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    // Pages hold personal data.
    'Cache-Control': 'no-store',
  });
  next();
});

// A form of another site must not act for a consumer who is signed in here (CSRF). Browsers say where a request comes
// from; those that are too old for `Sec-Fetch-Site` send `Origin`.
app.use((request, response, next) => {
  const [origin = '', host] = [request.get('Origin'), request.get('Host')];
  const isOwn = URL.canParse(origin) && new URL(origin).host === host;
  const site = request.get('Sec-Fetch-Site') ?? (isOwn ? 'same-origin' : 'cross-site');
  if (['GET', 'HEAD'].includes(request.method) || site === 'same-origin') next();
  else show(request, response, 'Refused', html`<p>This form was not sent by our own page.</p>`, 403);
});

app.get('/style.css', (_, response) => {
  response.sendFile('style.css', { root: import.meta.dirname, headers: { 'Cache-Control': 'no-cache' } });
});
app.use(express.urlencoded({ extended: false, limit: '16kb' }), load);
app.use((request, _response, next) => {
  // Without a form there is no body.
  request.body ??= {};
  next();
});
app.use(shopRoutes(), accountRoutes(client), profileRoutes(), passwordRoutes(client));

app.use((request, response) => {
  show(request, response, 'Not found', html`<p>There is no such page. <a href="/">To the shop</a></p>`, 404);
});

/** @type {express.ErrorRequestHandler} */
const onError = (error, request, response, _next) => {
  const { status, code, sentence } = explain(error);
  if (code === 'UNAUTHENTICATED') {
    // By time, by a logout elsewhere, or by a new password: the consumer signs in again.
    end(request, response, 'You have been signed out. Please sign in again.');
    response.redirect(303, '/login');
    return;
  }
  // An error of the client names the request for the operator of the service; it holds no key and no token.
  console.error(error);
  show(request, response, 'Sorry', html`<p>${sentence}</p>`, status);
};
app.use(onError);

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : PORT}`);
});
