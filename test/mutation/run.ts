/**
 * `npm run test:mutation [domain|store] [options of Stryker]`: changes the code in small ways, one change at a time, and reports the
 * changes that no test notices. A run takes about an hour. The results are in `coverage/mutation`, and the next run tests only the code
 * that has changed since.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as dynamodb from '../../infra/local/database';
import { npmTool } from '../../infra/local/npm-tool';

/**
 * Stryker is not a dependency of the project, because it takes 66 MB and only this command needs it. This is the newest version that runs
 * on Node 20.
 */
const STRYKER = '@stryker-mutator/core@9.6.1';
const GROUPS = readdirSync(__dirname).flatMap((file) => /^(\w+)\.suite\.ts$/.exec(file)?.[1] ?? []);

async function main(): Promise<number> {
  const [first = '', ...rest] = process.argv.slice(2);
  const [groups, options] = GROUPS.includes(first) ? [[first], rest] : [GROUPS, process.argv.slice(2)];
  const stryker = join(npmTool(STRYKER), '@stryker-mutator/core/bin/stryker.js');

  // All tests share one database. Each run of the tests creates its own table, which is a copy of this table.
  const database = await dynamodb.start({ endpoint: process.env['DYNAMODB_ENDPOINT'] });
  try {
    const env = {
      ...process.env,
      LKS_DYNAMODB: database.endpoint,
      LKS_TABLE: dynamodb.TABLE,
      LKS_STACK_TABLE: dynamodb.TABLE,
      LKS_ADMIN_TOKEN: 'mutation',
    };
    for (const group of groups) {
      const { status } = spawnSync(process.execPath, [stryker, 'run', ...options, 'test/mutation/stryker.config.mjs'], {
        stdio: 'inherit',
        env: { ...env, LKS_MUTATION_GROUP: group },
      });
      if (status !== 0) return status ?? 1;
    }
    return 0;
  } finally {
    await database.stop();
  }
}

void main().then((code) => process.exit(code));
