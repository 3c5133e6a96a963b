/**
 * @param {string} name
 * @param {string[]} allowed
 * @param {string} comment
 * @returns {import('dependency-cruiser').IForbiddenRuleType}
 */
const layer = (name, allowed, comment) => ({
  name: `${name}-layer`,
  comment,
  severity: 'error',
  from: { path: `^src/${name}/` },
  to: { path: '^src/', pathNot: [name, ...allowed].map((folder) => `^src/${folder}/`) },
});

/** What the command line and the console administer. */
const ADMINISTERED = [
  ...['platform', 'audit', 'messages', 'touchpoints', 'events'],
  ...['profiles', 'auth', 'verification', 'consumers', 'operators'],
];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: ['\\.mjs$', '\\.d\\.ts$', '^src/[^/]+/assets/'] },
      to: {},
    },
    {
      name: 'not-to-dev-dependency',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.(integration-)?spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'messages-are-counted',
      comment: 'Whatever is sent counts against its destination: a code by CodeSender, a notice by OwnerNotices.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(messages/|verification/sending/(code-sender|owner-notices)\\.ts$)',
      },
      to: { path: '^src/messages/messages\\.service\\.ts$' },
    },
    {
      name: 'statements-in-repositories',
      comment:
        'One place for each table: a service that could write SQL would soon know the columns of another folder.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.repository\\.ts$|^src/platform/' },
      to: { path: '^src/platform/database/statement\\.ts$|/sql-template-tag/' },
    },
    {
      name: 'tests-are-strangers',
      comment: 'They know the service by what it answers; what needs its inside lies beside the code.',
      severity: 'error',
      from: { path: '^test/', pathNot: '^test/support/in-process/' },
      to: { path: '^(src|test/support/in-process)/', dependencyTypesNot: ['type-only'] },
    },
    layer('platform', [], 'The bottom knows nothing of the features.'),
    layer('audit', ['platform'], 'Acts of every feature are recorded here; it knows none of them.'),
    layer('messages', ['platform', 'audit'], 'Messages are handed over; why one is sent, others know.'),
    layer('touchpoints', ['platform', 'audit'], 'Who calls is settled before who the consumer is.'),
    layer('events', ['platform', 'audit', 'touchpoints'], 'Acts of every feature above are told here; it knows none.'),
    layer('profiles', ['platform', 'audit', 'reference'], 'The row depends on nobody, and the flows on it.'),
    layer(
      'auth',
      ['platform', 'audit', 'touchpoints', 'events', 'profiles'],
      'How somebody proves who they are; it sends no message.',
    ),
    layer(
      'verification',
      ['platform', 'audit', 'messages', 'touchpoints', 'events', 'profiles', 'auth'],
      'Proofs of channels, and what owners are told.',
    ),
    layer(
      'consumers',
      ['platform', 'audit', 'messages', 'touchpoints', 'events', 'profiles', 'reference', 'auth', 'verification'],
      'The flows that touch both the row and its proofs.',
    ),
    layer('reference', ['platform'], 'Reference data stands alone.'),
    layer('reserved', ['platform'], 'Reserved routes stand alone.'),
    layer('api-docs', ['platform'], 'The document is read off the controllers, and knows no feature.'),
    layer('operators', ['platform', 'audit'], 'Who may use the console; it does not know what that shows.'),
    layer('cli', ADMINISTERED, 'Commands call services.'),
    layer('console', ADMINISTERED, 'Pages call the services that commands call.'),
    layer(
      'sandbox',
      ['platform', 'audit', 'messages', 'touchpoints', 'profiles', 'auth', 'consumers', 'api-docs'],
      'What partners try the API with; no feature knows it.',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    exclude: { path: '\\.(integration-)?spec\\.ts$' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.mjs', '.js'] },
  },
};
