import type { SignInRefusal } from '../../operators/operator-sessions.service';
import type { Page } from '../http/exchange';
import { Form } from '../view/form';
import { Notice } from '../view/parts';

/** In the form by which somebody signs out to come back to the same page. */
export const RETURNS = 'returns';

const CompanyLink = ({ isFresh = false }: { isFresh?: boolean }) => (
  <p>
    <a class="button" href={isFresh ? '/sign-in/company?fresh=yes' : '/sign-in/company'}>
      Sign in with your company account
    </a>
  </p>
);

/** `cli` is how a command begins. */
export const signInPage = (hasProvider: boolean, cli: string): Page => ({
  title: 'Sign in',
  page: (
    <section>
      {hasProvider && (
        <>
          <CompanyLink />
          <h2>Without a company account</h2>
        </>
      )}
      <p>You sign in with a one-time link, which works for ten minutes.</p>
      <p>
        An administrator makes one under <strong>Operators</strong>, or on the server with this command, and gives it to
        you:
      </p>
      <pre>
        <code>{`${cli} operator invite you@example.com --role SUPPORT`}</code>
      </pre>
    </section>
  ),
});

/** Opening the link spends nothing: programs that check the links in messages open them too. */
export const linkPage = (email: string | null): Page =>
  email === null
    ? {
        title: 'This link does not work',
        status: 410,
        page: (
          <section>
            <p>It has been used, or it is older than ten minutes, or your access has been disabled.</p>
            <p>
              <a href="/sign-in">How to get another one</a>
            </p>
          </section>
        ),
      }
    : {
        title: 'Sign in',
        page: (
          <section>
            <p>
              You will be signed in as <strong>{email}</strong> on this device: for 30 minutes without use, and for
              twelve hours at most.
            </p>
            <form method="post">
              <button type="submit">Sign in</button>
            </form>
          </section>
        ),
      };

export const freshSignInPage = (hasProvider: boolean): Page => ({
  title: 'Sign in again first',
  status: 403,
  page: (
    <section>
      <p>
        This cannot be undone, or hands out personal data, so it needs a sign-in that is no older than 15 minutes.
        Nothing has been done. Once you have signed in you come back to the page with the form.
      </p>
      {hasProvider && <CompanyLink isFresh />}
      <p>Sign out, sign in with a new link, and send the form again.</p>
      <Form action="/sign-out" button="Sign out">
        <input type="hidden" name={RETURNS} value="yes" />
      </Form>
    </section>
  ),
});

const REFUSALS: Record<SignInRefusal, string> = {
  'no role':
    'None of the groups of your company account has a role here. An administrator of the console or of the groups can change that.',
  'no address': 'Your company account has no e-mail address that the console could know you by.',
  'address not verified': 'Your company’s provider says that the e-mail address of your account is not verified.',
  'another account': 'Another company account already has the operator with your e-mail address.',
  disabled: 'Your access to the console has been disabled.',
};

/** For somebody whom the company's provider knows. */
export const refusedPage = (refusal: SignInRefusal): Page => ({
  title: 'You cannot sign in here',
  status: 403,
  page: (
    <section>
      <Notice kind="error">{REFUSALS[refusal]}</Notice>
      <p>
        <a href="/sign-in">Back</a>
      </p>
    </section>
  ),
});

export const providerProblemPage = (isUnavailable: boolean): Page => ({
  title: 'You are not signed in',
  status: isUnavailable ? 503 : 400,
  page: (
    <section>
      <Notice kind="error">
        {isUnavailable
          ? 'Your company’s provider could not be reached. Try again in a moment; the log of the service says why.'
          : 'Your company’s provider did not sign you in, or the page was open for too long. Try again; the log of the service says why.'}
      </Notice>
      <p>
        <a href="/sign-in">Back</a>
      </p>
    </section>
  ),
});
