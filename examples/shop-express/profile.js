// The profile of the consumer who is signed in.
import { Router } from 'express';
import { form, html, show } from './pages.js';
import { refusal } from './problems.js';
import { sessionOf } from './sessions.js';

/**
 * The fields of the profile, filled in. The entity tag says which state of the profile the consumer has seen.
 * @param {import('consumer-service-client').TaggedProfile} tagged @returns {import('./pages.js').Field[]}
 */
const profileFields = ({ profile, etag }) => [
  { name: 'etag', label: '', type: 'hidden', value: etag },
  { name: 'firstName', label: 'First name', autocomplete: 'given-name', value: profile.firstName },
  { name: 'lastName', label: 'Last name', autocomplete: 'family-name', value: profile.lastName },
  {
    name: 'birthDate',
    label: 'Birthday',
    type: 'date',
    autocomplete: 'bday',
    optional: true,
    value: profile.birthDate,
  },
];

export function profileRoutes() {
  const routes = Router();

  routes.get('/profile', async (request, response) => {
    const { consumer } = sessionOf(request);
    if (!consumer) return response.redirect(303, '/login');
    const tagged = await consumer.profile();
    show(request, response, 'Your profile', profilePage(tagged));
  });

  routes.post('/profile', async (request, response) => {
    const session = sessionOf(request);
    if (!session.consumer) return response.redirect(303, '/login');
    const { etag, firstName, lastName, birthDate } = request.body;
    try {
      const patch = { firstName, lastName, birthDate: birthDate === '' ? null : birthDate };
      await session.consumer.updateProfile(patch, { ifMatch: etag });
      session.notice = 'Your profile has been saved.';
      response.redirect(303, '/profile');
    } catch (error) {
      const problem = refusal(error);
      const tagged = await session.consumer.profile();
      // What was changed elsewhere is shown instead of what was typed, which would overwrite it unseen.
      const isStale = problem.code === 'PRECONDITION_FAILED';
      const page = isStale ? profilePage(tagged, problem) : profilePage({ ...tagged, etag }, problem, request.body);
      show(request, response, 'Your profile', page, problem.status);
    }
  });

  return routes;
}

/**
 * @param {import('consumer-service-client').TaggedProfile} tagged
 * @param {import('./problems.js').Problem} [problem] @param {Record<string, string>} [typed]
 */
const profilePage = (tagged, problem, typed) =>
  html` <p>${tagged.profile.email} ${tagged.profile.emailVerified ? html`<span class="badge">confirmed</span>` : ''}</p>
    ${form('/profile', 'Save', profileFields(tagged), problem, typed)}`;
