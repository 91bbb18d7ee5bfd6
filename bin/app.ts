/** The CDK app in a checkout, which builds the functions and the pages: `npx cdk synth -c stage=production`. */
import { synthesize } from '../infra/app';
import { bundle } from '../infra/bundle';
import { functionSources } from '../infra/service-stack';
import { buildSite } from '../infra/site';
import { printErrorText } from './terminal';

const problem = synthesize(() => ({ bundles: bundle(functionSources, { sourceMaps: true }), pages: buildSite() }));
if (problem !== undefined) {
  printErrorText(problem);
  process.exitCode = 1;
}
