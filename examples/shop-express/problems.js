// What the service refuses, in sentences for the shopper. The codes are the contract; the service's texts are for developers.
import { ApiProblem } from 'consumer-service-client';

/** @typedef {{ status: number, code: string | undefined, sentence: string, fields: Record<string, string> }} Problem */

/** @type {Record<string, (params: Record<string, unknown>) => string>} */
const OF_FIELDS = {
  REQUIRED: () => 'Please fill this in.',
  TOO_SHORT: ({ min }) => (min === 1 ? 'Please fill this in.' : `Please use at least ${String(min)} characters.`),
  TOO_LONG: ({ max }) => `Please use at most ${String(max)} characters.`,
  TOO_COMMON: () => 'Many people use this password, so it is easily guessed. Please choose another.',
  IN_USE: () => 'This address has an account already. Please sign in.',
  FORBIDDEN: () => 'Please leave this empty.',
  INVALID_TYPE: () => 'This does not look right.',
  INVALID_FORMAT: () => 'This does not look right. Please check it.',
  INVALID_VALUE: () => 'This cannot be used here. Please check it.',
};

/** Where the service means one field, without naming it. @type {Record<string, [field: string, sentence: string]>} */
const OF_ONE_FIELD = {
  CODE_INVALID: ['code', 'This is not the code that we sent. Please check it.'],
};

/** @type {Record<string, (minutes: string) => string>} */
const OF_FORMS = {
  // The same for a wrong password and an unknown address: strangers must not learn who has an account.
  INVALID_CREDENTIALS: () => 'The address or the password is not right.',
  LOGIN_THROTTLED: (minutes) => `There were too many attempts. Please try again in ${minutes}.`,
  RESEND_TOO_SOON: (minutes) => `A code is on its way already. You can ask for another one in ${minutes}.`,
  CODE_EXPIRED: () => 'The code does not work any more. Please ask for another one.',
  CODE_ATTEMPTS_EXCEEDED: () => 'There were too many wrong codes. Please ask for another one.',
  PRECONDITION_FAILED: () =>
    'Your profile has been changed elsewhere. This is how it is now: please make your change again.',
  IDENTIFIER_TAKEN: () => 'This address belongs to another account.',
  LAST_IDENTIFIER: () => 'You need this address to sign in.',
};

const LATER = 'This does not work right now. Please try again in a moment.';

/** @param {unknown} error what a call of the client has thrown @returns {Problem} */
export function explain(error) {
  if (!(error instanceof ApiProblem)) return { status: 503, code: undefined, sentence: LATER, fields: {} };
  const { code = '', status, retryAfter = 60 } = error;
  const minutes = retryAfter <= 60 ? 'a minute' : `${Math.ceil(retryAfter / 60)} minutes`;
  const fields = error.errors.map(({ field, code, params = {} }) => {
    return [field, OF_FIELDS[code]?.(params) ?? 'This does not look right.'];
  });
  const one = OF_ONE_FIELD[code];
  const isOurs = fields.length > 0 || one !== undefined;
  const sentence = isOurs ? 'Please check what is marked below.' : (OF_FORMS[code]?.(minutes) ?? LATER);
  // Other refusals, such as a wrong key, are the shop's own fault: shoppers can only come back later.
  const isShoppers = isOurs || code in OF_FORMS;
  return { status: isShoppers ? status : 503, code, sentence, fields: Object.fromEntries(one ? [one] : fields) };
}

/** The same for a form, which is shown again with it. @param {unknown} error */
export function refusal(error) {
  const problem = explain(error);
  // Not for the form to say: the consumer has to sign in again.
  if (problem.code === 'UNAUTHENTICATED') throw error;
  if (problem.status === 503) console.error(error);
  return problem;
}
