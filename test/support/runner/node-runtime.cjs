const { createRequire } = require('node:module');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { addHook } = require('pirates');

/**
 * @typedef {ConstructorParameters<typeof ModernFakeTimers>[0]['config']} ProjectConfig
 * @typedef {{ code: string, sourceMapPath: string | null }} Compiled
 * @typedef {{ transform: (file: string, options: object, source: string) => Compiled }} Transformer
 */

/** What Jest compiles for modules that are loaded by `require`. */
const BY_REQUIRE = {
  collectCoverage: false,
  collectCoverageFrom: [],
  coverageProvider: 'v8',
  isInternalModule: false,
  supportsDynamicImport: false,
  supportsExportNamespaceFrom: false,
  supportsStaticESM: false,
  supportsTopLevelAwait: false,
};

/** Of the files that this process has compiled. @type {Map<string, string>} */
const sourceMaps = new Map();
const mocker = new ModuleMocker(globalThis);
let compiles = false;

/** Compiles TypeScript as Jest does, and keeps the result in Jest's cache. @param {Transformer} transformer */
function compileWith(transformer) {
  if (compiles) return;
  compiles = true;
  addHook(
    (source, file) => {
      const { code, sourceMapPath } = transformer.transform(file, BY_REQUIRE, source);
      if (sourceMapPath !== null) sourceMaps.set(file, sourceMapPath);
      return code;
    },
    { exts: ['.ts'] },
  );
}

/** Loads a module once more. @param {string} path @returns {unknown} */
function requireAnew(path) {
  Reflect.deleteProperty(require.cache, path);
  // By a parent of its own: this module would hold it for ever.
  return createRequire(path)(path);
}

/**
 * Jest's `runtime`: modules are loaded as in any program, by Node.js into the one realm there is, and all but the test file
 * stay loaded for the next. Jest's own loads the two thousand modules of the service anew for each file.
 */
module.exports = class NodeRuntime {
  #testPath;
  #fakeTimers;

  /**
   * @param {ProjectConfig} config
   * @param {unknown} _environment
   * @param {unknown} _resolver
   * @param {Transformer} transformer
   * @param {unknown} _sources
   * @param {unknown} _coverage
   * @param {string} testPath
   */
  constructor(config, _environment, _resolver, transformer, _sources, _coverage, testPath) {
    this.#testPath = testPath;
    this.#fakeTimers = new ModernFakeTimers({ config, global: globalThis });
    compileWith(transformer);
  }

  /** @param {string} path */
  requireModule(path) {
    return path === this.#testPath ? requireAnew(path) : require(path);
  }

  /** The test framework, whose modules hold the tests of one file. @param {string} path */
  requireInternalModule(path) {
    return requireAnew(path);
  }

  /** @param {object} globals */
  setGlobalsForRuntime(globals) {
    const timers = this.#fakeTimers;
    const jest = {
      fn: mocker.fn.bind(mocker),
      spyOn: mocker.spyOn.bind(mocker),
      clearAllMocks: mocker.clearAllMocks.bind(mocker),
      restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
      useFakeTimers: timers.useFakeTimers.bind(timers),
      useRealTimers: timers.useRealTimers.bind(timers),
      advanceTimersByTime: timers.advanceTimersByTime.bind(timers),
    };
    Object.assign(globalThis, globals, { jest });
  }

  unstable_shouldLoadAsEsm() {
    return false;
  }

  getSourceMaps() {
    return sourceMaps;
  }

  enterTestCode() {}

  leaveTestCode() {}

  getAllCoverageInfoCopy() {}

  teardown() {
    mocker.restoreAllMocks();
    this.#fakeTimers.dispose();
  }
};
