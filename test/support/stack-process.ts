/** Starts a local stack with a data folder in a separate process: `stack-process.ts <data folder>`. */
import { start } from '../../infra/local/stack';
import type { StackAddresses } from './stack-addresses';

const assembly = process.env['LKS_ASSEMBLY'];
const dataDir = process.argv[2];
if (!assembly || !dataDir) throw new Error('LKS_ASSEMBLY or the data folder is not given');
void start({ assembly, dataDir, longestPeriod: 5000, throttle: false, mailbox: true }).then(
  ({ baseUrl, adminToken = '', endpoints, sessionToken, tableNames, env }) => {
    console.log(
      JSON.stringify({ baseUrl, adminToken, endpoints, sessionToken, tableNames, env, pid: process.pid } satisfies StackAddresses),
    );
  },
);
