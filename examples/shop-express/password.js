// A forgotten password: a code by mail or SMS, and a new password with it.
import { Router } from 'express';
import { digitsOf } from './account.js';
import { form, html, show } from './pages.js';
import { refusal } from './problems.js';
import { end, keptSession, sessionOf } from './sessions.js';

/** @typedef {import('./problems.js').Problem} Problem */

const FORGOT = [{ name: 'identifier', label: 'E-mail or phone', autocomplete: 'username' }];
const RESET = [
  { name: 'code', label: 'Code', autocomplete: 'one-time-code', hint: 'Eight digits.' },
  {
    name: 'newPassword',
    label: 'New password',
    type: 'password',
    autocomplete: 'new-password',
    hint: 'At least 8 characters.',
  },
];

/** @param {import('consumer-service-client').ConsumerServiceClient} client */
export function passwordRoutes(client) {
  const routes = Router();

  routes.get('/forgot', (request, response) => {
    show(request, response, 'Forgot your password?', form('/forgot', 'Send a code', FORGOT));
  });

  routes.post('/forgot', async (request, response) => {
    const { identifier, key } = request.body;
    try {
      const options = { idempotencyKey: key, consumerIp: request.ip };
      const { recoveryId, destination } = await client.forgotPassword(identifier, options);
      keptSession(request, response).recovery = { recoveryId, destination };
      response.redirect(303, '/reset');
    } catch (error) {
      const problem = refusal(error);
      const again = form('/forgot', 'Send a code', FORGOT, problem, request.body);
      show(request, response, 'Forgot your password?', again, problem.status);
    }
  });

  routes.get('/reset', (request, response) => {
    const { recovery } = sessionOf(request);
    if (!recovery) return response.redirect(303, '/forgot');
    show(request, response, 'Choose a new password', resetPage(recovery.destination));
  });

  routes.post('/reset', async (request, response) => {
    const { recovery } = sessionOf(request);
    if (!recovery) return response.redirect(303, '/forgot');
    const { code, newPassword, key } = request.body;
    try {
      const reset = { recoveryId: recovery.recoveryId, code: digitsOf(code), newPassword };
      await client.resetPassword(reset, { idempotencyKey: key, consumerIp: request.ip });
      // All sessions of the consumer have ended, and there is no new one: whoever knows the password signs in.
      end(request, response, 'Your password has been changed. Please sign in.');
      response.redirect(303, '/login');
    } catch (error) {
      const problem = refusal(error);
      show(request, response, 'Choose a new password', resetPage(recovery.destination, problem), problem.status);
    }
  });

  return routes;
}

/**
 * It reads the same whether or not the address has an account.
 * @param {string} destination @param {Problem} [problem]
 */
const resetPage = (destination, problem) =>
  html` <p>If ${destination} belongs to an account, a code is on its way. It works for ten minutes.</p>
    ${form('/reset', 'Save the password', RESET, problem)}
    <p><a href="/forgot">Send another code</a></p>`;
