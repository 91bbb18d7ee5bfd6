/**
 * `npm run lint:template`: cfn-lint over the template of every combination of options. It is a Python tool, which is
 * fetched from PyPI into a temporary environment; without Python or PyPI nothing is checked, and the output says so.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../infra/app';
import { functionSources, ServiceStack } from '../../infra/service-stack';
import { combinations } from '../support/stage-options';

/** What cfn-lint reports here, and why it is not a mistake. */
const ignored = {
  W3005: 'CDK names a dependency that a reference implies as well',
  W1030: 'it resolves references by examples that do not fit the pattern of the property',
  W3045: 'cdk-nag looks at access control lists',
};

const folder = mkdtempSync(join(tmpdir(), 'lint-template-'));

/** The tool's path, or undefined if it can't be had. */
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

/** Writes the template of each combination, without the code of its functions. */
function writeTemplates(): string[] {
  process.env['CDK_VALIDATION'] = 'false';
  const stub = join(folder, 'stub');
  mkdirSync(stub);
  writeFileSync(join(stub, 'index.js'), 'exports.handler = () => undefined;');
  const bundles = new Map(functionSources.map((source) => [source, stub]));
  return combinations('all').map(({ config }, index) => {
    const app = createApp({ outdir: join(folder, String(index)) });
    const stack = new ServiceStack(app, 'license-key-service', { config, bundles });
    return app.synth().getStackArtifact(stack.artifactId).templateFullPath;
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
