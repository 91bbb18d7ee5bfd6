/**
 * `npm run lint:template`: runs cfn-lint over the template that is launched without Node, and over the template of every combination of
 * options. cfn-lint is a Python tool, which is installed
 * from PyPI into a temporary environment. Without Python or PyPI nothing is checked, and the output says so.
 */
import type { App } from 'aws-cdk-lib';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../infra/app';
import { AssetParameters } from '../../infra/asset-parameters';
import { createLaunchStack } from '../../infra/launch-stack';
import { functionSources, ServiceStack, type Code } from '../../infra/service-stack';
import { combinations } from '../support/stage-options';

/** The rules of cfn-lint that are ignored, and why their findings are not errors. */
const ignored = {
  W3005: 'CDK declares dependencies that a reference already implies',
  W1030: 'cfn-lint replaces references with examples, which do not match the pattern of the property',
  W3045: 'cdk-nag already checks access control lists',
};

const folder = mkdtempSync(join(tmpdir(), 'lint-template-'));

/** The path of cfn-lint, or undefined if it can't be installed. */
function fetchTool(): string | undefined {
  try {
    execFileSync('python3', ['-m', 'venv', join(folder, 'venv')], { stdio: 'pipe' });
    execFileSync(join(folder, 'venv/bin/pip'), ['install', '--quiet', '--disable-pip-version-check', 'cfn-lint==1.58.0'], {
      stdio: 'pipe',
      timeout: 180_000,
    });
    return join(folder, 'venv/bin/cfn-lint');
  } catch (error) {
    console.log(
      `cfn-lint could not be fetched, so the templates were not checked: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`,
    );
    return undefined;
  }
}

/** Writes each template into a file, without the code of its functions. */
function writeTemplates(): string[] {
  process.env['CDK_VALIDATION'] = 'false';
  const stub = join(folder, 'stub');
  mkdirSync(stub);
  writeFileSync(join(stub, 'index.js'), 'exports.handler = () => undefined;');
  const code: Code = {
    bundles: new Map(functionSources.map((source) => [source, stub])),
    pages: { admin: stub, docs: stub, portal: stub },
  };
  const stacks = [
    (app: App) => createLaunchStack(app, code, new AssetParameters('')),
    ...combinations('all').map(
      ({ config }) =>
        (app: App) =>
          new ServiceStack(app, 'license-key-service', { config, ...code }),
    ),
  ];
  return stacks.map((create, index) => {
    const app = createApp({ outdir: join(folder, String(index)) });
    const { artifactId } = create(app);
    return app.synth().getStackArtifact(artifactId).templateFullPath;
  });
}

try {
  const tool = fetchTool();
  if (tool !== undefined) {
    const templates = writeTemplates();
    execFileSync(tool, ['--ignore-checks', ...Object.keys(ignored), '--', ...templates], { stdio: 'inherit' });
    console.log(`cfn-lint finds nothing in ${templates.length} templates.`);
  }
} catch {
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
