/**
 * Small slips such as anybody could make, one of which `scripts/try-defects.mjs` at a time puts into the service, to see
 * whether a test finds it.
 *
 * @typedef {object} Defect
 * @property {string} name What goes wrong, as a sentence.
 * @property {string} file Where.
 * @property {string} find What stands there exactly once.
 * @property {string} replace What stands there instead.
 * @property {string[]} tests Words in the paths of the tests that are most likely to find it.
 */

/** @type {Defect[]} */
export const DEFECTS = [
  {
    name: 'A disabled touchpoint is admitted.',
    file: 'src/touchpoints/touchpoint-credentials.ts',
    find: "    if (!touchpoint.enabled) return 'disabled';\n",
    replace: '',
    tests: ['e2e/.*/touchpoint'],
  },
  {
    name: 'A replaced touchpoint key is refused during its overlap, and works after it.',
    file: 'src/touchpoints/touchpoint-credentials.ts',
    find: 'key.expiresAt.getTime() <= this.clock.epochMs()',
    replace: 'key.expiresAt.getTime() > this.clock.epochMs()',
    tests: ['e2e/.*/touchpoint'],
  },
  {
    name: 'A touchpoint has one request less than its limit.',
    file: 'src/touchpoints/rate-limit/rate-limit.storage.ts',
    find: 'isBlocked: consumedPoints > limit',
    replace: 'isBlocked: consumedPoints >= limit',
    tests: ['e2e/.*/rate-limit'],
  },
  {
    name: 'An identifier that is taken is answered as a field that is not valid.',
    file: 'src/auth/identifiers/identifiers.service.ts',
    find: "new ApiError('IDENTIFIER_TAKEN'",
    replace: "new ApiError('VALIDATION_FAILED'",
    tests: ['e2e/.*/registration'],
  },
  {
    name: 'A code can be guessed at once more than it should be.',
    file: 'src/verification/challenge.repository.ts',
    find: 'AND attempts < ${guesses}',
    replace: 'AND attempts <= ${guesses}',
    tests: ['e2e/.*/verified-registration', 'e2e/.*/verification'],
  },
  {
    name: 'The second step of a registration does not spend the code.',
    file: 'src/consumers/registration/verified-registration.service.ts',
    find: '      await this.challenges.consume(manager, id);\n',
    replace: '',
    tests: ['e2e/.*/verified-registration'],
  },
  {
    name: 'Failed logins begin a new window while the present one lasts, and none when it is over.',
    file: 'src/auth/login/login.repository.ts',
    find: 'known.window_ends_at <= ${now}',
    replace: 'known.window_ends_at >= ${now}',
    tests: ['e2e/.*/login.e2e', 'e2e/.*/login-limits'],
  },
  {
    name: 'Failed logins are forgotten after 90 seconds.',
    file: 'src/auth/login/password-guesses.ts',
    find: '15 * 60_000',
    replace: '15 * 6_000',
    tests: ['e2e/.*/login-limits', 'e2e/.*/login-throttling'],
  },
  {
    name: 'A logout ends every session of the consumer.',
    file: 'src/auth/sessions/session.repository.ts',
    find: 'WHERE s.id = ${sessionId} AND s.consumer_id = ${consumerId} AND ${isOpen(ending.occurredAt)} RETURNING',
    replace: 'WHERE s.consumer_id = ${consumerId} AND ${isOpen(ending.occurredAt)} RETURNING',
    tests: ['e2e/.*/tokens', 'e2e/.*/password.e2e'],
  },
  {
    name: 'Whether a session is live is not waited for, so that a token works after the logout.',
    file: 'src/auth/sessions/jwt-auth.guard.ts',
    find: 'if (!(await this.sessions.isLive(await this.requireToken(request, context)))) throw sessionEnded();',
    replace:
      'const isLive: unknown = this.sessions.isLive(await this.requireToken(request, context));\n      if (!isLive) throw sessionEnded();',
    tests: ['e2e/.*/tokens', 'e2e/.*/password.e2e'],
  },
  {
    name: 'A token of another type that we have signed is taken for a customer token.',
    file: 'src/auth/sessions/tokens/customer-tokens.ts',
    find: 'typ: z.literal(TOKEN_TYPE)',
    replace: 'typ: z.string().optional()',
    tests: ['e2e/.*/tokens'],
  },
  {
    name: 'If-Match is not judged.',
    file: 'src/consumers/profile/profiles.service.ts',
    find: "      if (!ifMatchHolds(ifMatch, tagged(present).entityTag)) throw new ApiError('PRECONDITION_FAILED');\n",
    replace: '',
    tests: ['e2e/.*/profile'],
  },
  {
    name: 'The last verified identifier can be cleared.',
    file: 'src/auth/identifiers/identifiers.service.ts',
    find: "      if (present?.verifiedAt && !otherVerified) throw new ApiError('LAST_IDENTIFIER');\n",
    replace: '',
    tests: ['e2e/.*/profile'],
  },
  {
    name: 'A second code can be asked for at once.',
    file: 'src/verification/sending/send-limits.service.ts',
    find: 'cooledDown: new Date(now.getTime() - COOL_DOWN)',
    replace: 'cooledDown: null',
    tests: ['e2e/.*/verification'],
  },
  {
    name: 'An address gets one message an hour more than it should.',
    file: 'src/verification/sending/send-limit.repository.ts',
    find: 'cardinality(known.sent_at) < ${sends}',
    replace: 'cardinality(known.sent_at) <= ${sends}',
    tests: ['e2e/.*/verification', 'e2e/.*/send-bounds'],
  },
  {
    name: 'An assertion for another audience is accepted.',
    file: 'src/auth/assertions/assertion-verifier.ts',
    find: "    if (![aud].flat().includes(audience)) throw invalid('wrong audience');\n",
    replace: '',
    tests: ['e2e/.*/identify'],
  },
  {
    name: 'An assertion works again and again.',
    file: 'src/consumers/identify/identification.service.ts',
    find: '    await this.externalIdentities.spend(manager, assertion);\n',
    replace: '',
    tests: ['e2e/.*/identify'],
  },
  {
    name: 'A used idempotency key answers another request with the outcome of the first.',
    file: 'src/consumers/idempotency/idempotency.service.ts',
    find: "    if (!known.isSame) throw new ApiError('IDEMPOTENCY_KEY_REUSED');\n",
    replace: '',
    tests: ['e2e/.*/idempotency'],
  },
  {
    name: 'A new password leaves the other sessions alive.',
    file: 'src/consumers/password/password-change.service.ts',
    find: '      await this.sessions.revokeOthers(manager, session, origin);\n',
    replace: '',
    tests: ['e2e/.*/password'],
  },
  {
    name: 'A new password is not in the audit trail.',
    file: 'src/consumers/password/password-change.service.ts',
    find: "await this.events.record(manager, origin, act, { type: 'consumer.password-changed', consumerId, data: {} });",
    replace: 'void [this.events, act];',
    tests: ['e2e/.*/audit', 'e2e/.*/password'],
  },
  {
    name: 'The rehearsal of an import begins the import.',
    file: 'src/consumers/transfer/import/consumer-import.service.ts',
    find: 'return dryRun ? Promise.resolve(run) : this.runs.beginRun(run);',
    replace: 'return dryRun ? this.runs.beginRun(run) : this.runs.beginRun(run);',
    tests: ['e2e/.*/import-refusals'],
  },
  {
    name: 'An erasure leaves the count of what was sent to the addresses.',
    file: 'src/consumers/administration/consumer-erasure.service.ts',
    find: '    await this.limits.forget(manager, destinations);\n',
    replace: '',
    tests: ['e2e/.*/consumer-erasure'],
  },
  {
    name: 'Notices go to addresses that nobody has proven.',
    file: 'src/auth/identifiers/identifiers.service.ts',
    find: 'return all.filter(({ verifiedAt }) => verifiedAt !== null);',
    replace: 'return all;',
    tests: ['e2e/.*/notices', 'e2e/.*/password'],
  },
  {
    name: 'A 304 comes without the headers that it has to repeat.',
    file: 'src/platform/http/prepared-answer.ts',
    find: 'response.writeHead(304, this.cacheHeaders).end()',
    replace: 'response.writeHead(304).end()',
    tests: ['src/reference'],
  },
  {
    name: 'Reserved routes seem not to exist.',
    file: 'src/reserved/reserved.guard.ts',
    find: "throw new ApiError('NOT_IMPLEMENTED')",
    replace: "throw new ApiError('NOT_FOUND')",
    tests: ['e2e/.*/reserved'],
  },
  {
    name: 'Too many wrong codes are answered by another status.',
    file: 'src/platform/errors/error-catalog.ts',
    find: 'CODE_ATTEMPTS_EXCEEDED: { status: 410',
    replace: 'CODE_ATTEMPTS_EXCEEDED: { status: 429',
    tests: ['e2e/.*/verification', 'e2e/.*/verified-registration'],
  },
  {
    name: 'The records of a consumer’s idempotency keys have no index.',
    file: 'migrations/0008-idempotency.up.sql',
    find: 'CREATE INDEX idempotency_record_consumer_id_idx ON idempotency_record (consumer_id);\n',
    replace: '',
    tests: ['query-plans'],
  },
  {
    name: 'The clearing of expired rows deletes those that have not expired.',
    file: 'src/platform/jobs/expired-rows.ts',
    find: 'WHERE ${expiresAt} <= ${before}\n',
    replace: 'WHERE ${before}::timestamptz IS NOT NULL\n',
    tests: ['jobs/expiry'],
  },
  {
    name: 'The service is ready while its database is away.',
    file: 'src/platform/health/health.controller.ts',
    find: 'await this.database.ask();',
    replace: 'await this.database.ask().catch(() => undefined);',
    tests: ['health/health'],
  },
  {
    name: 'The API description leaves out a member of the profile.',
    file: 'src/consumers/profile/profile.dto.ts',
    find: "  @ApiProperty({ example: true, description: 'Whether the consumer can log in with a password.' })\n",
    replace: '',
    tests: ['e2e/.*/openapi', 'e2e/.*/profile'],
  },
];
