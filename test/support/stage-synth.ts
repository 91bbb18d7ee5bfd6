import type { App, AppProps, Stack } from 'aws-cdk-lib';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addChecks, createApp } from '../../infra/app';
import { AssetParameters } from '../../infra/asset-parameters';
import { warnings, type StageConfig } from '../../infra/config';
import { createLaunchStack } from '../../infra/launch-stack';
import { stackName } from '../../infra/names';
import { functionSources, ServiceStack, type Code } from '../../infra/service-stack';
import { temporaryFolder } from '../../infra/temporary-folder';
import type { Template } from './template';

const folder = temporaryFolder('stage-synth-');

/**
 * Stubs that replace the bundles of the functions and the pages. Building these would take most of the synthesis time, and would change
 * nothing else in the template.
 */
const stub = join(folder, 'stub');
mkdirSync(stub);
writeFileSync(join(stub, 'index.js'), 'exports.handler = () => undefined;');
export const stubs = {
  bundles: new Map(functionSources.map((source) => [source, stub])),
  pages: { admin: stub, docs: stub, portal: stub },
} satisfies Code;

export interface Synthesized {
  readonly template: Template;
  /** The AWS region to which the stage is deployed. */
  readonly region: string;
  readonly terminationProtection: boolean | undefined;
  readonly tags: Readonly<Record<string, string>>;
}

interface Report {
  readonly pluginReports: ReadonlyArray<{
    readonly violations: ReadonlyArray<{ readonly ruleName: string; readonly description?: string }>;
  }>;
}

let count = 0;
/**
 * The app writes no file with the construct tree and records no stack traces, because only tools that display constructs need them, and they
 * take a tenth of the synthesis time.
 */
const newApp = (props: AppProps = {}): App =>
  createApp({ ...props, outdir: join(folder, String((count += 1))), treeMetadata: false, stackTraces: false });

/**
 * Synthesizes a stage with stubs in place of its code, and without checks, because checks take several times as long.
 *
 * @param code the bundles of some functions, and the pages, if the template must contain their real hashes
 */
export function synthesizeStage(config: StageConfig, code: Partial<Code> = {}): Synthesized {
  const app = newApp({ builtinCloudFormationValidation: false, context: { '@aws-cdk/core:annotationsInValidationReport': false } });
  const bundles = new Map([...stubs.bundles, ...(code.bundles ?? [])]);
  const stack = new ServiceStack(app, stackName(config.stage), { config, bundles, pages: code.pages ?? stubs.pages });
  const { template, environment, terminationProtection, tags } = app.synth().getStackArtifact(stack.artifactId);
  return { template: template as Template, region: environment.region, terminationProtection, tags };
}

/** Synthesizes the template that is launched without Node, like {@link synthesizeStage}. */
export function synthesizeLaunch(): Template {
  const app = newApp({ builtinCloudFormationValidation: false });
  const stack = createLaunchStack(app, stubs, new AssetParameters('prefix/'));
  return app.synth().getStackArtifact(stack.artifactId).template as Template;
}

/**
 * Synthesizes in this process with the checks of `bin/app.ts`, and throws the report of the checks if they find an error.
 *
 * @returns the other findings, one line each, without those that the code accepts with a reason (`infra/accept.ts`)
 */
export function check(build: (app: App) => Stack): readonly string[] {
  const app = newApp();
  addChecks(app);
  build(app);
  // The check also prints its report, which is suppressed here.
  const print = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  const assembly = ((): ReturnType<App['synth']> => {
    try {
      return app.synth();
    } finally {
      print.mockRestore();
    }
  })();
  const report = JSON.parse(readFileSync(join(assembly.directory, 'validation-report.json'), 'utf8')) as Report;
  return report.pluginReports.flatMap(({ violations }) =>
    violations.map(({ ruleName, description = '' }) => `${ruleName}: ${description}`),
  );
}

/** Fails if a stage violates a rule and the code gives no reason for this, or if a stage does not warn about a missing option. */
export function expectNoFindings(config: StageConfig): void {
  const expected = [...warnings(config)].map(([id, sentence]) => expect.stringMatching(`${id}: .*${sentence.slice(0, 40)}`) as unknown);
  expect(check((app) => new ServiceStack(app, stackName(config.stage), { config, ...stubs }))).toEqual(expected);
}
