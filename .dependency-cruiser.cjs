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

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, path: '^src/', pathNot: ['\\.mjs$'] }, to: {} },
    {
      name: 'not-to-dev-dependency',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.(integration-)?spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'swagger-is-loaded-late',
      comment: 'Its decorators come from src/platform/openapi.ts, which loads the package with the document.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/platform/openapi\\.ts$' },
      to: { path: 'node_modules/@nestjs/swagger/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'messages-are-counted',
      comment: 'Whatever is sent counts against its destination: a code by CodeSender, a notice by OwnerNotices.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(platform/messages/|verification/(code-sender|owner-notices)\\.ts$)',
      },
      to: { path: '^src/platform/messages/messages\\.service\\.ts$' },
    },
    {
      name: 'tests-are-strangers',
      comment: 'They know the service by what it answers; what needs its inside lies beside the code.',
      severity: 'error',
      from: { path: '^test/', pathNot: '^test/support/in-process/' },
      to: { path: '^(src|test/support/in-process)/', dependencyTypesNot: ['type-only'] },
    },
    layer('platform', [], 'The bottom knows nothing of the features.'),
    layer('touchpoints', ['platform'], 'Who calls is settled before who the consumer is.'),
    layer('auth', ['platform', 'touchpoints'], 'Proof of identity never reads a profile.'),
    layer('reference', ['platform'], 'Reference data stands alone.'),
    layer('reserved', ['platform'], 'Reserved routes stand alone.'),
    layer('docs', ['platform'], 'The document is read off the controllers, and knows no feature.'),
    layer(
      'verification',
      ['platform', 'touchpoints', 'auth'],
      'A proof is of an identifier, and never reads a profile.',
    ),
    layer(
      'consumers',
      ['platform', 'touchpoints', 'auth', 'verification', 'reference'],
      'Profiles and registration live on top.',
    ),
    layer('cli', ['platform', 'touchpoints', 'auth', 'verification', 'consumers'], 'Commands call services.'),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    exclude: { path: '\\.(integration-)?spec\\.ts$' },
    enhancedResolveOptions: { extensions: ['.ts', '.mjs', '.js'] },
  },
};
