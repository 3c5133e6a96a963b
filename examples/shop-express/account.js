// Registration with a code, login, logout.
import { Consumer } from 'consumer-service-client';
import { Router } from 'express';
import { form, html, show } from './pages.js';
import { refusal } from './problems.js';
import { end, keptSession, sessionOf, signIn } from './sessions.js';

/** @typedef {import('./problems.js').Problem} Problem */

const REGISTRATION = [
  { name: 'firstName', label: 'First name', autocomplete: 'given-name' },
  { name: 'lastName', label: 'Last name', autocomplete: 'family-name' },
  { name: 'email', label: 'E-mail', type: 'email', autocomplete: 'email' },
  {
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'new-password',
    hint: 'At least 8 characters.',
  },
];
const CODE = [{ name: 'code', label: 'Code', autocomplete: 'one-time-code' }];
const LOGIN = [
  { name: 'identifier', label: 'E-mail or phone', autocomplete: 'username' },
  { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' },
];

/** Spaces and dashes come with a code that is copied. @param {unknown} code */
export const digitsOf = (code) => String(code).replaceAll(/\D/g, '');

/** @param {import('consumer-service-client').ConsumerServiceClient} client */
export function accountRoutes(client) {
  const routes = Router();

  routes.get('/register', (request, response) => {
    if (sessionOf(request).consumer) return response.redirect(303, '/');
    show(request, response, 'Register', registerPage());
  });

  routes.post('/register', async (request, response) => {
    const { firstName, lastName, email, password, key } = request.body;
    try {
      const person = { type: /** @type {const} */ ('PERSON'), firstName, lastName, email, password };
      const answer = await client.register(person, { idempotencyKey: key, consumerIp: request.ip });
      if ('token' in answer) {
        // At a touchpoint without channel proof nothing has to be confirmed.
        signIn(request, response, Consumer.from(client, answer), `Welcome, ${firstName}!`);
        return response.redirect(303, '/');
      }
      const { registrationId, destination } = answer;
      keptSession(request, response).registration = { registrationId, destination };
      response.redirect(303, '/register/code');
    } catch (error) {
      const problem = refusal(error);
      show(request, response, 'Register', registerPage(problem, request.body), problem.status);
    }
  });

  routes.get('/register/code', (request, response) => {
    const { registration } = sessionOf(request);
    if (!registration) return response.redirect(303, '/register');
    show(request, response, 'Confirm your address', codePage(registration.destination));
  });

  routes.post('/register/code', async (request, response) => {
    const { registration } = sessionOf(request);
    if (!registration) return response.redirect(303, '/register');
    const { registrationId, destination } = registration;
    try {
      const completion = { registrationId, code: digitsOf(request.body.code) };
      const options = { idempotencyKey: request.body.key, consumerIp: request.ip };
      const session = await client.completeRegistration(completion, options);
      signIn(request, response, Consumer.from(client, session), 'Your account is ready. Welcome!');
      response.redirect(303, '/');
    } catch (error) {
      const problem = refusal(error);
      show(request, response, 'Confirm your address', codePage(destination, problem), problem.status);
    }
  });

  routes.get('/login', (request, response) => {
    if (sessionOf(request).consumer) return response.redirect(303, '/');
    show(request, response, 'Sign in', loginPage());
  });

  routes.post('/login', async (request, response) => {
    const { identifier, password } = request.body;
    try {
      const session = await client.login({ identifier, password }, { consumerIp: request.ip });
      signIn(request, response, Consumer.from(client, session), 'Welcome back!');
      response.redirect(303, '/');
    } catch (error) {
      const problem = refusal(error);
      show(request, response, 'Sign in', loginPage(problem, request.body), problem.status);
    }
  });

  routes.post('/logout', async (request, response) => {
    // Here the consumer is signed out in any case; the token ends by itself if the service is away.
    await sessionOf(request)
      .consumer?.logout()
      .catch((/** @type {unknown} */ error) => console.error(error));
    end(request, response, 'You have been signed out.');
    response.redirect(303, '/');
  });

  return routes;
}

/** @param {Problem} [problem] @param {Record<string, string>} [typed] */
const registerPage = (problem, typed) =>
  html` ${form('/register', 'Register', REGISTRATION, problem, typed)}
    <p>Have you been here before? <a href="/login">Sign in</a></p>`;

/**
 * It reads the same whether or not the address has an account: the owner of an account is told by mail.
 * @param {string} destination @param {Problem} [problem]
 */
const codePage = (destination, problem) =>
  html` <p>We have sent a message to ${destination}. Its code works for ten minutes.</p>
    ${form('/register/code', 'Confirm', CODE, problem)}
    <p>No message? Look in the spam folder, or <a href="/register">register again</a>.</p>`;

/** @param {Problem} [problem] @param {Record<string, string>} [typed] */
const loginPage = (problem, typed) =>
  html` ${form('/login', 'Sign in', LOGIN, problem, typed)}
    <p><a href="/forgot">Forgot your password?</a> · <a href="/register">Register</a></p>`;
