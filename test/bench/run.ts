/**
 * `npm run bench [section …]`: measures the service on this machine and prints a table. The same goes, as
 * Markdown and as JSON, into `build/`; `--docs` writes it into `docs/performance.md` as well.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { MortalService } from '../support/mortal-service';
import { ownTable } from '../support/own-table';
import type { StackAddresses } from '../support/stack-addresses';
import { synthesize } from '../support/synth';
import { deliveryCpu } from './delivery-cpu';
import { events } from './events';
import { functions } from './functions';
import { growth } from './growth';
import { handlerCpu } from './handler-cpu';
import { isMet, ratioOf, table, type Section } from './report';
import { oneLicense, throughput } from './throughput';
import { units } from './units';
import { wholeSystem } from './whole-system';

const root = resolve(__dirname, '../..');
/** In the order of the table. */
const sections: Readonly<Record<string, (stack: StackAddresses) => Promise<Section>>> = {
  handlerCpu,
  deliveryCpu,
  wholeSystem,
  throughput,
  oneLicense,
  growth,
  events,
  functions,
  units,
};

async function main(): Promise<void> {
  const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  const unknown = names.find((name) => !(name in sections));
  if (unknown !== undefined) throw new Error(`There is no section ${unknown}; there are: ${Object.keys(sections).join(', ')}`);

  // Child processes of ours inherit it: the SDK's reminder that Node 20 is growing old, once per function.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const assembly = synthesize({ stage: 'local' });
  process.env['LKS_ASSEMBLY'] = assembly;
  const stack = new MortalService();
  const found: Section[] = [];
  try {
    const addresses = await stack.start();
    // What the clients of test/support look for.
    process.env['LKS_BASE_URL'] = addresses.baseUrl;
    process.env['LKS_ADMIN_TOKEN'] = addresses.adminToken;
    process.env['LKS_DYNAMODB'] = addresses.endpoints.dynamodb;
    process.env['LKS_SESSION_TOKEN'] = addresses.sessionToken;
    process.env['LKS_STACK_TABLE'] = Object.values(addresses.tableNames)[0];
    process.env['LKS_TABLE'] = await ownTable();
    for (const [name, measure] of Object.entries(sections)) {
      if (names.length > 0 && !names.includes(name)) continue;
      console.error(`… ${name}`);
      const section = await measure(addresses);
      console.log(`${table([section])}\n`);
      found.push(section);
    }
  } finally {
    await stack.destroy();
    rmSync(assembly, { recursive: true, force: true });
  }
  write(found, process.argv.includes('--docs'));
  process.exit(0);
}

function write(found: readonly Section[], intoDocs: boolean): void {
  const date = new Date().toISOString().slice(0, 10);
  const json = {
    date,
    machine: `${cpus().length} cores`,
    node: process.version,
    sections: found.map(({ title, results }) => ({
      title,
      results: results.map((result) => ({ ...result, ratio: ratioOf(result), met: isMet(result) })),
    })),
  };
  const build = join(root, 'build');
  mkdirSync(build, { recursive: true });
  writeFileSync(join(build, 'performance.md'), `${table(found)}\n`);
  writeFileSync(join(build, 'performance.json'), `${JSON.stringify(json, null, 2)}\n`);
  if (!intoDocs) return;
  const page = join(root, 'docs/performance.md');
  const [before = '', after = ''] = readFileSync(page, 'utf8').split(/<!-- begin -->[\s\S]*<!-- end -->/);
  writeFileSync(
    page,
    `${before}<!-- begin -->\nMeasured on ${date}: ${json.machine}, Node.js ${json.node}.\n\n${table(found)}\n<!-- end -->${after}`,
  );
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
