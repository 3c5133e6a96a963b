/** The groups of operations, in the order in which they are shown. */
export const TAGS = {
  Consumers: 'Registration, login, the profile, the proof of a channel, the password, logout.',
  Reference: 'Countries and their subdivisions, for forms. Made to be cached.',
  Integration:
    'For other systems of the business, such as a CRM: what happened to consumers, without personal data. They have a credential of their own, `X-Subscriber-Code` and `X-Subscriber-Key`.',
  Keys: 'What a backend needs to verify customer tokens by itself.',
  Health: 'For load balancers and supervisors; no credential is needed.',
  Reserved:
    'Part of the API’s shape and not live yet: **every call answers 501** `NOT_IMPLEMENTED` today. Requests and successes are shown as they will be.',
};

/** The paths in the order in which a client needs them; others follow. */
export const FLOW = [
  '/api/v1/register',
  '/api/v1/identify',
  '/api/v1/login',
  '/api/v1/me',
  '/api/v1/verifications',
  '/api/v1/password',
  '/api/v1/logout',
];

/** The first thing that a partner's developer reads; CommonMark. */
export const DESCRIPTION = `
Registration, login and self-service profiles of consumers, for the backends of touchpoints: websites, apps, kiosks,
partner shops.

**[Start here](/docs/start)** makes the first call, and **[every call with curl](/docs/getting-started)** the others.
**[Errors](/docs/errors)** lists every code, what it means and what to do.
This document is also at [/openapi.json](/openapi.json), and for generators that read nothing newer than OpenAPI 3.0 at
[/openapi-3.0.json](/openapi-3.0.json).

## Credentials

Every call carries the touchpoint's \`X-Touchpoint-Code\` and \`X-Touchpoint-Key\`; they are judged before anything else.
Calls on behalf of a consumer also carry the customer token as \`Authorization: Bearer\`. Give all three to **Authorize**, and
*Execute* sends them. This browser keeps them until you choose *Logout* there.

## What holds everywhere

- Errors are \`application/problem+json\` (RFC 9457). \`code\` is for programs and never changes; more codes may be added,
  so treat one that you do not know as its status asks. The texts are for people.
- Every answer has an \`X-Request-Id\`: log it, and quote it when you ask for help.
- Unknown properties of a body are ignored, and \`Ignored-Fields\` names them in the answer: look at it while you build, a
  misspelt \`email\` is one. Nothing is coerced: \`"1"\` is not \`1\`. Bodies are JSON in UTF-8, 16 KiB at most.
- An address that is not listed here answers 404 \`NOT_FOUND\`; a listed one with another method 405
  \`METHOD_NOT_ALLOWED\`, whose \`Allow\` header names the methods. \`HEAD\` answers as \`GET\` does, without a body.
- Answers after the touchpoint credential tell what is left of its limits in \`RateLimit-Policy\` and \`RateLimit\`, unless
  it has none.
- After 429 wait as long as \`Retry-After\` says, then send the request again. After 500, 503 or no answer at all it may
  have been done: [what is safe to repeat](/docs/limits#retries).
`.trim();
