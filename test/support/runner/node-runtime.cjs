const { createRequire } = require('node:module');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { addHook } = require('pirates');

/**
 * @typedef {ConstructorParameters<typeof ModernFakeTimers>[0]['config']} ProjectConfig
 * @typedef {{ code: string, sourceMapPath: string | null }} Compiled
 * @typedef {{ transformSource: (file: string, source: string, options: object) => Compiled }} Transformer
 */

/** What Jest's transformers are told of modules that are loaded by `require`. */
const BY_REQUIRE = {
  instrument: false,
  supportsDynamicImport: false,
  supportsExportNamespaceFrom: false,
  supportsStaticESM: false,
  supportsTopLevelAwait: false,
};

/** What Jest's framework keeps on `globalThis`: the tests of a file, and who hears of their errors. */
const OF_ONE_FILE = ['EVENT_HANDLERS', 'JEST_STATE_SYMBOL'];

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
      const { code, sourceMapPath } = transformer.transformSource(file, source, BY_REQUIRE);
      if (sourceMapPath !== null) sourceMaps.set(file, sourceMapPath);
      return code;
    },
    { exts: ['.ts'] },
  );
}

/** Loads this one module again. @param {string} path @returns {unknown} */
function requireAnew(path) {
  Reflect.deleteProperty(require.cache, path);
  // By a parent of its own: this module would hold it for ever.
  return createRequire(path)(path);
}

/**
 * Jest's `runtime`: modules are loaded as in any program, by Node.js into the one realm there is, and all but the test file
 * stay loaded for the next. Jest's own loads the service and all its packages anew for each file.
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

  /** Jest's framework, without what it knows of the file before. @param {string} path */
  requireInternalModule(path) {
    for (const key of Object.getOwnPropertySymbols(globalThis)) {
      if (OF_ONE_FILE.includes(key.description ?? '')) Reflect.deleteProperty(globalThis, key);
    }
    return requireAnew(path);
  }

  /** The framework sets the rest. */
  setGlobalsForRuntime() {
    const timers = this.#fakeTimers;
    const jest = {
      fn: mocker.fn.bind(mocker),
      spyOn: mocker.spyOn.bind(mocker),
      clearAllMocks: mocker.clearAllMocks.bind(mocker),
      restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
      // Node.js itself has no other timers meanwhile: what waits for its input and output does not go on.
      useFakeTimers: timers.useFakeTimers.bind(timers),
      useRealTimers: timers.useRealTimers.bind(timers),
      advanceTimersByTime: timers.advanceTimersByTime.bind(timers),
    };
    Object.assign(globalThis, { jest });
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
