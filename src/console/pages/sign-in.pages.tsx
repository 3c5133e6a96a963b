import type { Answer } from '../http/exchange';
import { Form, Notice } from '../view/parts';

type Page = Extract<Answer, { title: string }>;

export const signInPage = (): Page => ({
  title: 'Sign in',
  page: (
    <section>
      <p>You sign in with a one-time link, which works for ten minutes.</p>
      <p>
        An administrator makes one under <strong>Operators</strong>, or on the server with this command, and gives it to
        you:
      </p>
      <pre>
        <code>npm run --silent cli -- operator invite you@example.com --role SUPPORT</code>
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

export const freshSignInPage = (): Page => ({
  title: 'Sign in again first',
  status: 403,
  page: (
    <section>
      <p>
        This cannot be undone, or hands out personal data, so it needs a sign-in that is no older than 15 minutes.
        Nothing has been done.
      </p>
      <p>Sign out, sign in with a new link, and try again.</p>
      <Form action="/sign-out" button="Sign out" />
    </section>
  ),
});

const PROBLEMS: Record<number, [title: string, text: string]> = {
  400: ['The request is not valid', 'Go back and try again.'],
  403: ['Not allowed', 'Your role may not do this. An administrator can change it under Operators.'],
  404: ['Nothing is here', 'The address is wrong, or what it named has gone.'],
  405: ['Not allowed', 'This address is only for reading, or for forms.'],
  409: ['Done already', 'This form has been sent before, and was done once. Open the page again to see the result.'],
  413: ['The form is too large', 'Go back and shorten what you typed.'],
  421: ['Another address', 'The console is not reached by this name: use the address that CONSOLE_URL sets.'],
  500: ['Something went wrong', 'It is in the log of the service. Try again.'],
  503: ['The database cannot be reached', 'Nothing was done. Try again in a moment.'],
};

export function problemPage(status: number): Page {
  const known = status in PROBLEMS ? status : status < 500 ? 400 : 500;
  const [title, text] = PROBLEMS[known] ?? ['Something went wrong', ''];
  return {
    title,
    status,
    page: (
      <section>
        <Notice kind="error">{text}</Notice>
        <p>
          <a href="/">To the overview</a>
        </p>
      </section>
    ),
  };
}
