const { availableParallelism } = require('node:os');

/** @type {import('jest').Config} */
const project = {
  runtime: '<rootDir>/test/support/runner/node-runtime.cjs',
  testEnvironment: '<rootDir>/test/support/runner/node-environment.ts',
  // Not in a directory of temporary files, which a run removes.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
        module: { type: 'commonjs' },
      },
    ],
  },
  setupFiles: ['reflect-metadata'],
};

/**
 * What speaks to the built service, in a process of its own.
 * @type {import('jest').Config}
 */
const stranger = {
  ...project,
  testEnvironment: '<rootDir>/test/support/service/test-run/environment.ts',
  globalSetup: '<rootDir>/test/support/service/test-run/set-up.ts',
  globalTeardown: '<rootDir>/test/support/service/test-run/tear-down.ts',
};

const onServer = process.env.TEST_DATABASE_URL !== undefined;
// The embedded database has one session, too few for a test that takes locks beside the service; and a service on it has
// no replicas that could replace each other.
const onServerOnly = onServer ? [] : ['\\.postgres\\.'];
// Documents, container files, terminals, foreign formats, and what starts a database of its own say the same whichever
// server there is.
const e2eElsewhere = onServer
  ? [
      '/documents/',
      '/migration/',
      '/runner/',
      '/administration/(command-(help|start)|completion|terminal-(output|questions))\\.',
      '/operation/(compose-files|containers|image-digests|kubernetes-manifests|node-releases)\\.',
      '/operation/(production-settings|tracing)\\.',
    ]
  : onServerOnly;

/** @type {import('jest').Config} */
module.exports = {
  projects: [
    { ...project, displayName: 'unit', testMatch: ['<rootDir>/src/**/*.spec.ts'] },
    {
      ...project,
      displayName: 'integration',
      testMatch: ['<rootDir>/src/**/*.integration-spec.ts'],
      testPathIgnorePatterns: onServerOnly,
    },
    {
      ...stranger,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/e2e/**/*.e2e-spec.ts'],
      testPathIgnorePatterns: e2eElsewhere,
    },
    { ...stranger, displayName: 'guides', testMatch: ['<rootDir>/test/guides/*.guide-spec.ts'] },
    { ...stranger, displayName: 'browser', testMatch: ['<rootDir>/test/browser/*.browser-spec.ts'] },
    { ...stranger, displayName: 'faults', testMatch: ['<rootDir>/test/faults/*.fault-spec.ts'] },
    { ...stranger, displayName: 'failover', testMatch: ['<rootDir>/test/failover/*.failover-spec.ts'] },
    { ...stranger, displayName: 'upgrade', testMatch: ['<rootDir>/test/upgrade/*.upgrade-spec.ts'] },
    { ...stranger, displayName: 'fuzz', testMatch: ['<rootDir>/test/fuzz/*.fuzz-spec.ts'] },
    { ...stranger, displayName: 'proxy', testMatch: ['<rootDir>/test/proxy/*.proxy-spec.ts'] },
  ],
  testTimeout: 300_000,
  // A third of a test is waiting: Jest's own choice, a core fewer than there are, leaves a small machine idle.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
};
