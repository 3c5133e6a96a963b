import type { Page } from '../http/exchange';
import { Notice } from './parts';

/** When the connection is lost at the end of an act, nobody can tell whether it was done. */
const LOOK_FIRST = 'If you sent a form, look whether it was done before you send it again.';

const PROBLEMS: Record<number, [title: string, text: string]> = {
  400: ['The request is not valid', 'Go back and try again.'],
  403: ['Not allowed', 'Your role may not do this. An administrator can change it under Operators.'],
  404: ['Nothing is here', 'The address is wrong, or what it named has gone.'],
  405: ['Not allowed', 'This address is only for reading, or for forms.'],
  409: ['Sent already', 'This form has been sent before. Open the page again to see whether it was done.'],
  413: ['The form is too large', 'Go back and shorten what you typed.'],
  421: ['Another address', 'The console is not reached by this name: use the address that CONSOLE_URL sets.'],
  500: ['Something went wrong', `It is in the log of the service. ${LOOK_FIRST}`],
  503: ['The database cannot be reached', `Wait a moment. ${LOOK_FIRST}`],
};

export const forgedPage = (): Page =>
  problemPage(403, 'This form did not come from a page of the console. Open the page here, and send it from there.');

export function problemPage(status: number, reason?: string): Page {
  const known = status in PROBLEMS ? status : status < 500 ? 400 : 500;
  const [title, text] = PROBLEMS[known] ?? ['Something went wrong', ''];
  return {
    title,
    status,
    page: (
      <section>
        <Notice kind="error">{reason ?? text}</Notice>
        <p>
          <a href="/">To the overview</a>
        </p>
      </section>
    ),
  };
}
