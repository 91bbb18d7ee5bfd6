/**
 * `npm run bench [section …]`: measures the service on this machine and prints tables. `--docs` writes all results into
 * `docs/performance.json`, and the results with a goal into the table of `docs/performance.md`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { MortalService } from '../support/mortal-service';
import { ownTable } from '../support/own-table';
import { startFunctionPeers, type FunctionPeers } from '../support/function-environment';
import { useStack } from '../support/stack-child';
import { deliveryCpu } from './delivery-cpu';
import { events } from './events';
import { functions } from './functions';
import { growth } from './growth';
import { overview } from './overview';
import { handlerCpu } from './handler-cpu';
import { latest } from './latest';
import { json, summary, table, type Measured, type Section } from './report';
import { oneLicense, throughput } from './throughput';
import type { BenchStack } from './bench-stack';
import { units } from './units';
import { wholeSystem } from './whole-system';

const root = resolve(__dirname, '../..');
/** The sections of the benchmark in the order of the table in docs/performance.md. */
const sections: Readonly<Record<string, (stack: BenchStack) => Promise<Section>>> = {
  handlerCpu,
  deliveryCpu,
  wholeSystem,
  throughput,
  oneLicense,
  latest,
  growth,
  overview,
  events,
  functions,
  units,
};

async function main(): Promise<void> {
  const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  const unknown = names.find((name) => !(name in sections));
  if (unknown !== undefined) throw new Error(`There is no section ${unknown}; there are: ${Object.keys(sections).join(', ')}`);

  // Child processes inherit this variable. Without the variable, the SDK would warn in each function that a later version of the SDK will
  // not support Node 20.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const stack = new MortalService();
  const found: Section[] = [];
  let peers: FunctionPeers | undefined;
  try {
    const addresses = await stack.start();
    useStack(addresses);
    process.env['LKS_TABLE'] = await ownTable();
    peers = await startFunctionPeers(addresses);
    for (const [name, measure] of Object.entries(sections)) {
      if (names.length > 0 && !names.includes(name)) continue;
      console.error(`… ${name}`);
      const section = await measure({ pid: addresses.pid, env: peers.env });
      console.log(`${table(section)}\n`);
      found.push(section);
    }
  } finally {
    await peers?.stop();
    await stack.destroy();
  }
  if (process.argv.includes('--docs')) write(found);
  process.exit(0);
}

/** Replaces the measured sections in docs/performance.json, and the table in docs/performance.md. */
function write(found: readonly Section[]): void {
  const measured = `${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores, Node.js ${process.version}`;
  const file = join(root, 'docs/performance.json');
  const sections = new Map((JSON.parse(readFileSync(file, 'utf8')) as Measured[]).map((section) => [section.title, section]));
  for (const section of found) sections.set(section.title, { measured, ...section });
  writeFileSync(file, json([...sections.values()]));
  const page = join(root, 'docs/performance.md');
  const [before = '', after = ''] = readFileSync(page, 'utf8').split(/<!-- begin -->[\s\S]*<!-- end -->/);
  writeFileSync(page, `${before}<!-- begin -->\n${summary([...sections.values()])}\n<!-- end -->${after}`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
