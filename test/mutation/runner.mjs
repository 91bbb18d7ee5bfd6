import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * A test runner for Stryker (`PluginKind.TestRunner` of its API). It loads a group's tests once and runs them repeatedly in one process,
 * with jest's own `test` and `expect`. Stryker's own runner for jest creates a new environment for every change of the code. Creating an
 * environment takes many times as long as running the tests.
 */
class Runner {
  capabilities() {
    return { reloadEnvironment: false };
  }

  async init() {
    const require = createRequire(join(process.cwd(), 'package.json'));
    const jest = require('./jest.config.js');
    const [[, options]] = Object.values(jest.projects[0].transform);
    const { transformFileSync } = require('@swc/core');
    require.extensions['.ts'] = (module, file) => module._compile(transformFileSync(file, options).code, file);

    this.circus = require('jest-circus');
    const { describe, test, beforeAll, beforeEach, afterAll, afterEach } = this.circus;
    const { ModuleMocker } = require('jest-mock');
    const mocker = new ModuleMocker(globalThis);
    const spies = { spyOn: mocker.spyOn.bind(mocker), restoreAllMocks: mocker.restoreAllMocks.bind(mocker) };
    Object.assign(globalThis, {
      describe,
      test,
      it: test,
      beforeAll,
      beforeEach,
      afterAll,
      afterEach,
      expect: require('@jest/expect').jestExpect,
      jest: spies,
    });
    this.circus.getState().testTimeout = jest.testTimeout;
    this.circus.addEventHandler((event) => this.#follow(event));
    process.on('unhandledRejection', () => (this.failed = this.bail));

    this.stryker = globalThis.__stryker__ ??= {};
    require(join(process.cwd(), 'test/mutation', `${process.env.LKS_MUTATION_GROUP}.suite.ts`));
    this.tests = [...testsOf(this.circus.getState().rootDescribeBlock)];
  }

  /** Tells Stryker which test is running, and skips the remaining tests after the first failure, because the change is then detected. */
  #follow({ name, test }) {
    if (name === 'test_start') {
      this.stryker.currentTestId = idOf(test);
      if (this.failed) test.mode = 'skip';
    }
    if (name === 'test_done') {
      this.stryker.currentTestId = undefined;
      test.spentMs = Date.now() - test.startedAt;
    }
    if ((name === 'test_fn_failure' || name === 'hook_failure') && this.bail) this.failed = true;
  }

  async #run(wanted) {
    this.failed = false;
    for (const { test, id } of this.tests)
      Object.assign(test, { mode: !wanted || wanted.has(id) ? undefined : 'skip', errors: [], status: null, invocations: 0 });
    this.circus.getState().unhandledErrors.length = 0;
    await this.circus.run();
    return this.tests.filter(({ test }) => test.mode !== 'skip' || test.errors.length > 0);
  }

  async dryRun() {
    this.bail = false;
    const ran = await this.#run();
    const tests = ran.map(({ test, id }) => {
      const common = { id, name: id, timeSpentMs: test.spentMs ?? 0 };
      return test.errors.length > 0 ? { ...common, status: 1, failureMessage: messageOf(test) } : { ...common, status: 0 };
    });
    return { status: 'complete', tests, mutantCoverage: this.stryker.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit }) {
    this.bail = true;
    this.stryker.activeMutant = activeMutant.id;
    this.stryker.hitLimit = hitLimit;
    this.stryker.hitCount = hitLimit === undefined ? undefined : 0;
    try {
      const ran = await this.#run(testFilter && new Set(testFilter));
      if (hitLimit !== undefined && this.stryker.hitCount > hitLimit) return { status: 'timeout', reason: 'endless loop' };
      const failed = ran.filter(({ test }) => test.errors.length > 0);
      if (failed.length === 0 && !this.failed) return { status: 'survived', nrOfTests: ran.length };
      return {
        status: 'killed',
        killedBy: failed.map(({ id }) => id),
        failureMessage: failed[0] ? messageOf(failed[0].test) : 'a hook failed',
        nrOfTests: ran.length,
      };
    } finally {
      this.stryker.activeMutant = undefined;
    }
  }

  async dispose() {}
}

const messageOf = ({ errors: [error] }) => String([error].flat()[0]?.message ?? error).slice(0, 500);

function idOf(test) {
  const names = [test.name];
  for (let block = test.parent; block?.parent; block = block.parent) names.unshift(block.name);
  return names.join(' ');
}

function* testsOf(block) {
  for (const child of block.children) {
    if (child.type === 'describeBlock') yield* testsOf(child);
    else yield { test: child, id: idOf(child) };
  }
}

const createRunner = () => new Runner();
createRunner.inject = [];
export const strykerPlugins = [{ kind: 'TestRunner', name: 'in-process', factory: createRunner }];
