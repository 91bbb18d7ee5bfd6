/** A local stack on a data folder in a process of its own, for tests that kill it: `stack-process.ts <data folder>`. */
import { start } from '../../infra/local/stack';

const assembly = process.env['LKS_ASSEMBLY'];
const dataDir = process.argv[2];
if (!assembly || !dataDir) throw new Error('LKS_ASSEMBLY or the data folder is not given');
void start({ assembly, dataDir, longestPeriod: 5000 }).then(({ baseUrl, adminToken }) => console.log(JSON.stringify({ baseUrl, adminToken })));
