/** The CDK app in the npm package, which contains the built functions and pages. */
import { synthesize } from '../infra/app';
import { builtPages, readFunctions } from '../infra/built';
import { printErrorText } from './terminal';

const problem = synthesize(() => ({ bundles: readFunctions(), pages: builtPages() }));
if (problem !== undefined) {
  printErrorText(problem);
  process.exitCode = 1;
}
