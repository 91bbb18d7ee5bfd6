import type { App, AppProps, Stack } from 'aws-cdk-lib';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addChecks, createApp } from '../../infra/app';
import { warnings, type StageConfig } from '../../infra/config';
import { stackName } from '../../infra/names';
import { functionSources, ServiceStack } from '../../infra/service-stack';
import type { Template } from './template';

const folder = mkdtempSync(join(tmpdir(), 'stage-synth-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * A stub that replaces the bundles of the functions. The bundles would take most of the synthesis time, and change nothing else in the
 * template.
 */
const stub = join(folder, 'stub');
mkdirSync(stub);
writeFileSync(join(stub, 'index.js'), 'exports.handler = () => undefined;');
export const bundles: ReadonlyMap<string, string> = new Map(functionSources.map((source) => [source, stub]));

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
 * The file with the construct tree is not written, because only tools that display the tree need it, and it takes a twentieth of the
 * synthesis time.
 */
const newApp = (props: AppProps = {}): App => createApp({ ...props, outdir: join(folder, String((count += 1))), treeMetadata: false });

/** Synthesizes a stage without its code, except the bundles in `code`, and without checks, because checks take several times as long. */
export function synthesizeStage(config: StageConfig, code: ReadonlyMap<string, string> = new Map()): Synthesized {
  const app = newApp({ builtinCloudFormationValidation: false, context: { '@aws-cdk/core:annotationsInValidationReport': false } });
  const stack = new ServiceStack(app, stackName(config.stage), { config, bundles: new Map([...bundles, ...code]) });
  const { template, environment, terminationProtection, tags } = app.synth().getStackArtifact(stack.artifactId);
  return { template: template as Template, region: environment.region, terminationProtection, tags };
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
  expect(check((app) => new ServiceStack(app, stackName(config.stage), { config, bundles }))).toEqual(expected);
}
