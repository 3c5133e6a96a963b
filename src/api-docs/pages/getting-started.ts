/** One step: text (with backticks and links), a command for a POSIX shell, and what it prints first. */
export interface Step {
  title: string;
  text: string;
  command?: string;
  /** The status line without its version, for a command that sends one request. */
  answer?: string;
  /** What else the answer shows. */
  shows?: string;
}

/** Different from the addresses in the README and the API's documentation: a second registration is refused. */
const EMAIL = 'ada.lovelace@example.com';

/** The whole flow of a touchpoint without channel proof; a test runs every command in this order. */
export const STEPS: Step[] = [
  {
    title: 'Create a touchpoint',
    text: 'An administrator does this once for each client application. The key is shown this once; keep it on your backend, never in a browser or an app.',
    command: 'npm run --silent cli -- touchpoint create --code my-shop --name "My shop" --session-max 8h',
  },
  {
    title: 'Keep the credential at hand',
    text: 'Every call carries both headers. First put the key that was just printed into a variable, `TOUCHPOINT_KEY=tpk_…`, also where one is set from before. The file keeps it out of the list of processes, and `umask 077` makes this file and those to come readable by you alone.',
    command: `umask 077
cat > touchpoint.headers <<END
X-Touchpoint-Code: my-shop
X-Touchpoint-Key: $TOUCHPOINT_KEY
END`,
  },
  {
    title: 'Make the first call',
    text: 'Reference data needs no consumer. The answer may be kept for a day; send its `ETag` as `If-None-Match` the next time, and 304 has no body.',
    command: 'curl -i -H @touchpoint.headers "$API/api/v1/reference/countries"',
    answer: '200 OK',
    shows: 'ETag: "…"\n[{"code":"AD","name":"Andorra"},…]',
  },
  {
    title: 'Register a consumer',
    text: 'The answer is a session. Give every registration an `Idempotency-Key` of its own: when no answer reaches you, send the same request with the same key, and the consumer is registered once. A field that the service does not know is ignored, and named in the header `Ignored-Fields` of the answer: a misspelt `email` would make a consumer who cannot log in by it.',
    command: `curl -i -H @touchpoint.headers "$API/api/v1/register" \\
  -H 'Idempotency-Key: 7f1c9a52-registration-of-ada' --json '{
    "type": "PERSON", "firstName": "Ada", "lastName": "Lovelace",
    "email": "${EMAIL}", "password": "correct horse battery staple"
  }'`,
    answer: '201 Created',
    shows: '{"customerId":"0192f0c1-…","token":"eyJhbGciOi…"}',
  },
  {
    title: 'Log the consumer in',
    text: 'By e-mail address, phone number or customer id. Pass the consumer’s own address on in `X-Consumer-IP`: it keeps strangers who guess passwords from shutting the consumer out. The token is valid for half an hour.',
    command: `curl -i -H @touchpoint.headers "$API/api/v1/login" \\
  -H 'X-Consumer-IP: 203.0.113.7' \\
  --json '{ "identifier": "${EMAIL}", "password": "correct horse battery staple" }' | tee login.txt
TOKEN=$(sed -n 's/.*"token":"\\([^"]*\\)".*/\\1/p' login.txt)
echo "Authorization: Bearer $TOKEN" > customer.headers`,
    answer: '200 OK',
  },
  {
    title: 'Keep the consumer signed in',
    text: 'While the consumer is active and before the token expires, ask for a new one of the same session. An administrator allows it with `--session-max`; else it is 403 [SESSION_EXTENSION_NOT_ALLOWED](/docs/errors/SESSION_EXTENSION_NOT_ALLOWED). `GET /api/v1/me/sessions` lists where the consumer is signed in.',
    command: `curl -i -X POST -H @touchpoint.headers -H @customer.headers "$API/api/v1/session/extend"`,
    answer: '200 OK',
    shows: '{"customerId":"0192f0c1-…","token":"eyJhbGciOi…"}',
  },
  {
    title: 'Read the profile',
    text: 'Whose it is, the token says: no address or body ever names the consumer.',
    command: 'curl -i -H @touchpoint.headers -H @customer.headers "$API/api/v1/me"',
    answer: '200 OK',
    shows: `ETag: "…"\n{"customerId":"0192f0c1-…","type":"PERSON","firstName":"Ada",…}`,
  },
  {
    title: 'Change the profile',
    text: 'A JSON Merge Patch (RFC 7396): what is absent stays, `null` clears. With the `ETag` as `If-Match` you overwrite nobody else’s change: 412 [PRECONDITION_FAILED](/docs/errors/PRECONDITION_FAILED) asks you to read again.',
    command: `curl -i -X PATCH -H @touchpoint.headers -H @customer.headers "$API/api/v1/me" \\
  --json '{ "locale": "en-GB", "address": { "city": "London", "country": "GB", "subdivision": "GB-ENG" } }'`,
    answer: '200 OK',
  },
  {
    title: 'Have the e-mail address proven',
    text: 'A code of six digits is sent. For phone numbers the channel is `sms`.',
    command: `curl -i -X POST -H @touchpoint.headers -H @customer.headers \\
  "$API/api/v1/verifications/email/request"`,
    answer: '202 Accepted',
    shows: '{"channel":"email","destination":"a***@e***.com","expiresAt":"…","resendAfter":"…"}',
  },
  {
    title: 'Confirm with the code',
    text: 'The consumer types the code; here put it into a variable first, `CODE=123456`. On a service without a mail server the administrator can read it: `npm run --silent cli -- message list`.',
    command: `curl -i -H @touchpoint.headers -H @customer.headers \\
  "$API/api/v1/verifications/email/confirm" --json "{ \\"code\\": \\"$CODE\\" }"`,
    answer: '200 OK',
    shows: '{"channel":"email","verified":true,"verifiedAt":"…"}',
  },
  {
    title: 'Change the password',
    text: 'Every other session of the consumer ends at once; this one stays.',
    command: `curl -i -H @touchpoint.headers -H @customer.headers "$API/api/v1/password/change" --json '{
    "currentPassword": "correct horse battery staple",
    "newPassword": "hold fast to the analytical engine"
  }'`,
    answer: '204 No Content',
  },
  {
    title: 'Log out',
    text: 'The token is dead at its next use.',
    command: 'curl -i -X POST -H @touchpoint.headers -H @customer.headers "$API/api/v1/logout"',
    answer: '204 No Content',
  },
  {
    title: 'Send a code for a forgotten password',
    text: 'At the earliest a minute after the last code to this address. The answer is the same whether or not somebody has it, so show the consumer the same page.',
    command: `curl -i -H @touchpoint.headers "$API/api/v1/password/forgot" -H 'X-Consumer-IP: 203.0.113.7' \\
  --json '{ "identifier": "${EMAIL}" }' | tee forgot.txt
RECOVERY_ID=$(sed -n 's/.*"recoveryId":"\\([^"]*\\)".*/\\1/p' forgot.txt)`,
    answer: '202 Accepted',
    shows:
      '{"recoveryId":"0192f0c1-…","channel":"email","destination":"a***@e***.com","expiresAt":"…","resendAfter":"…"}',
  },
  {
    title: 'Choose a new password with the code',
    text: 'The code has eight digits; put it into a variable first, `RECOVERY_CODE=12345678`. Every session ends: let the consumer log in with the new password.',
    command: `curl -i -H @touchpoint.headers "$API/api/v1/password/reset" -H 'X-Consumer-IP: 203.0.113.7' --json "{
    \\"recoveryId\\": \\"$RECOVERY_ID\\", \\"code\\": \\"$RECOVERY_CODE\\",
    \\"newPassword\\": \\"a bridge of iron and steam\\"
  }"`,
    answer: '204 No Content',
  },
  {
    title: 'Read an error',
    text: 'The session has ended, so this call is refused. Decide by `code`; its page says what it means and whether a retry helps. Log `requestId`: the administrator finds the cause by it (`npm run --silent cli -- audit explain REQUEST-ID`). [All errors](/docs/errors).',
    command: 'curl -i -H @touchpoint.headers -H @customer.headers "$API/api/v1/me"',
    answer: '401 Unauthorized',
    shows: `WWW-Authenticate: Bearer realm="customer", error="invalid_token"
{"type":"/docs/errors/UNAUTHENTICATED","title":"…","status":401,"code":"UNAUTHENTICATED","requestId":"…"}`,
  },
  {
    title: 'Clean up',
    text: 'The files hold the key and the token.',
    command: 'rm touchpoint.headers customer.headers login.txt forgot.txt; unset TOUCHPOINT_KEY TOKEN RECOVERY_ID',
  },
];

/** What else a client needs to know. */
export const NOTES: Step[] = [
  {
    title: 'Touchpoints that want a proof first',
    text: 'With `--channel-proof EMAIL` or `SMS` the registration answers 202 with a `registrationId` instead, and a code is sent. `POST /api/v1/register/complete` with `registrationId` and `code` then answers 201 with the session. Until then nobody is registered. The password may come with either step; one that is sent with the code replaces the first.',
  },
  {
    title: 'Retries',
    text: 'After an answer from 400 to 499 nothing has been done: send the request again after 408, or when the `Retry-After` of the answer has passed (429, for one); the others stay as they are until the request or the state changes. After 500, 503 or no answer at all it may have been done. Then repeat as it is only what reads, and what carries an `Idempotency-Key`: the outcome is the same for 24 hours, marked `Idempotency-Replayed: true`. After 503, too, not before `Retry-After` has passed.',
  },
  {
    title: 'When a request may have been done',
    text: 'Read before you repeat it. `GET /api/v1/me` shows whether a code was confirmed (`emailVerified`, `phoneVerified`) and what the profile is now, also for a change with `If-Match`, which would be 412 the second time; it answers 401 [UNAUTHENTICATED](/docs/errors/UNAUTHENTICATED) after a logout. Whether a password was changed, a login with the new one tells. A login that is repeated opens one more session, and does no other harm.',
  },
  {
    title: 'Limits',
    text: 'Every answer after the touchpoint credential tells what is left: `RateLimit-Policy` names the limits, `RateLimit` what remains (`r`) for how many seconds (`t`). Beyond them: 429 [RATE_LIMITED](/docs/errors/RATE_LIMITED).',
  },
  {
    title: 'Tokens on your own backend',
    text: 'A customer token is a JWT (ES256). Its public keys are at [/.well-known/jwks.json](/.well-known/jwks.json), so a backend can verify it by itself; whether the session has been ended only the service knows.',
  },
];
