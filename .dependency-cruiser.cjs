const { builtinModules } = require('node:module');

/** The import directions, which `npm run lint` checks. */

const dynamo = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', '@aws-sdk/util-dynamodb'];
const behindRoutes = ['lambdas/runtime/*', 'lambdas/store/*', 'lambdas/domain/*', 'lambdas/contract/*', 'lambdas/contract'];
const contract = ['lambdas/contract/*', 'lambdas/contract'];
// A local run builds the pages again only if a file of `siteSources` (infra/site.ts) changes.
const neverForPages = ['lambdas/*', 'infra/*', 'bin/*', 'client/*', 'aws-cdk-lib*', 'constructs', '@aws-sdk/*', '@middy/*', 'node:*'];

/**
 * What the files of a folder may import. The rule of the most specific folder applies to a file.
 *
 * - `may`: modules. A name that ends in `*` stands for all names with that beginning.
 * - `never`: modules that are forbidden although `may` allows them.
 * - `shared`: modules that are allowed although `never` forbids them.
 * - `types`: modules whose types may be imported, but not their values.
 */
const rules = [
  { folder: 'lambdas/contract', may: [...contract, 'zod/mini', 'node:url', 'punycode.js'] },
  // Schemas describe stored entities, and the body of a custom shop's notification.
  { folder: 'lambdas/domain', may: ['lambdas/domain/*', ...contract, 'node:crypto', 'zod/mini'] },
  { folder: 'lambdas/store', may: ['lambdas/store/*', 'lambdas/domain/*', ...contract, ...dynamo, 'zod/mini', 'node:crypto', 'node:util', 'node:zlib'] },
  {
    folder: 'lambdas/runtime',
    may: [...behindRoutes, '@middy/*', 'zod/mini', 'nodemailer', 'ipaddr.js', 'node:*', 'package.json'],
    types: ['aws-lambda'],
  },
  // The implementations of the ports with the AWS SDK. Only the store may use the SDK's client of DynamoDB.
  { folder: 'lambdas/runtime/aws', may: [...behindRoutes, '@aws-sdk/*', 'nodemailer'], never: dynamo },
  // The folder lambdas/use-cases contains steps that several routes or event functions share.
  { folder: 'lambdas/use-cases', may: ['lambdas/use-cases/*', ...behindRoutes], types: ['zod/mini'] },
  // Routes must not import other routes, and event functions must not import other event functions. Code for several of them is in
  // lambdas/use-cases.
  { folder: 'lambdas/api', may: ['lambdas/use-cases/*', ...behindRoutes], types: ['zod/mini', 'aws-lambda'] },
  { folder: 'lambdas/events', may: ['lambdas/use-cases/*', ...behindRoutes], types: ['zod/mini', 'aws-lambda'] },
  // CloudFormation runs the function in this folder. The service does not use it.
  { folder: 'lambdas/deploy', may: ['lambdas/deploy/*', '@aws-sdk/client-s3', 'node:*'], types: ['aws-lambda'] },
  {
    folder: 'infra',
    may: [
      'infra/*',
      ...contract,
      'lambdas/runtime/openapi-text',
      'aws-cdk-lib*',
      'cdk-nag',
      'constructs',
      'esbuild',
      'fflate',
      'zod',
      'node:*',
      'package.json',
    ],
    never: ['infra/local/*'],
  },
  {
    folder: 'infra/local',
      may: [
      'infra/local/*',
      'infra/gateway-responses',
      'infra/page-headers',
      'infra/preflight',
      'infra/built',
      'infra/projections',
      'infra/root',
      'infra/sizing',
      'lambdas/runtime/*',
      'lambdas/store/client',
      'lambdas/domain/seal',
      'lambdas/use-cases/key-transfer',
      'lambdas/use-cases/reseal',
      ...contract,
      '@aws-sdk/client-dynamodb',
      '@dynoxide/*',
      'zod/mini',
      'node:*',
    ],
    types: ['aws-lambda', '@smithy/types'],
  },
  // `npm run reseal` accesses the table directly, like a function of the service.
  {
    folder: 'bin',
    may: [
      'bin/*',
      'infra/*',
      'lambdas/contract/errors',
      'lambdas/contract/processors',
      'lambdas/runtime/app',
      'lambdas/domain/seal',
      'lambdas/use-cases/key-transfer',
      'lambdas/use-cases/reseal',
      '@license-key-service/admin',
      '@modelcontextprotocol/sdk/*',
      'aws-cdk-lib',
      '@aws-sdk/client-ssm',
      'commander',
      'node:*',
      'package.json',
    ],
  },
  { folder: 'bin/reseal', may: ['bin/reseal/*', '@aws-sdk/client-secrets-manager', 'node:*'] },
  // The program for export and import is a client of the API. It may import the contract and the pure part of an import, but nothing else
  // of the service.
  {
    folder: 'bin/licenses',
    may: [
      'bin/licenses/*',
      'bin/command-line',
      'bin/service',
      'bin/terminal',
      '@license-key-service/admin',
      ...contract,
      'lambdas/domain/csv',
      'lambdas/domain/import/*',
      'commander',
      'node:*',
    ],
  },
  // The MCP server is another client of the API, and its tools are the rows of the contract.
  {
    folder: 'bin/mcp',
    may: [
      'bin/mcp/*',
      'bin/command-line',
      'bin/service',
      '@license-key-service/admin',
      '@modelcontextprotocol/sdk/*',
      ...contract,
      'zod/mini',
      'node:*',
    ],
  },
  {
    folder: 'bin/releases',
    may: [
      'bin/releases/*',
      'bin/service',
      'bin/terminal',
      'bin/licenses/progress',
      'bin/command-line',
      'commander',
      '@license-key-service/admin',
      ...contract,
      'lambdas/domain/releases/target',
      'lambdas/domain/releases/version',
      'yaml',
      'node:*',
    ],
  },
  // The admin page checks and executes imports with the code of the command line. It reads keys, pasted addresses, days and file names like
  // the service.
  {
    folder: 'admin-site',
    may: ['admin-site/*', '*'],
    never: neverForPages,
    shared: [
      'client/src/*',
      'lambdas/domain/color',
      'lambdas/domain/csv',
      'lambdas/domain/email',
      'lambdas/domain/import/*',
      'lambdas/domain/license-key',
      'lambdas/domain/releases/target',
      'lambdas/domain/search-term',
      'lambdas/domain/time',
      'lambdas/contract/edge',
      'lambdas/contract/license-columns',
      'lambdas/contract/logo-size',
      'lambdas/contract/resources/limits-text',
      'lambdas/contract/platform-name',
      'lambdas/contract/reported-name',
      'lambdas/contract/payment-columns',
    ],
    types: contract,
  },
  // The client library: code that needs Node is only in a separate entry point.
  { folder: 'client', may: ['client/*', 'esbuild', 'typescript', 'tweetnacl', 'node:*'] },
  { folder: 'client/src', may: ['client/src/*', 'tweetnacl'], never: ['client/src/node/*', 'client/src/react/*'], types: contract },
  { folder: 'client/src/react', may: ['client/src/*', 'react'], never: ['client/src/node/*'] },
  { folder: 'client/src/node', may: ['client/src/*', 'node:*'] },
  // The client of the admin API is generated from the contract, but doesn't import it at run time.
  { folder: 'client/admin', may: ['client/admin/*', 'client/build', 'openapi-typescript', ...contract, 'node:*'] },
  { folder: 'client/admin/src', may: ['client/admin/src/*', 'openapi-fetch', 'node:*'] },
  { folder: 'client/example', may: ['client/example/*', '@license-key-service/client*', 'node:*'] },
  { folder: 'client/example/electron', may: ['client/example/electron/*', '@license-key-service/client*', 'electron', 'react', 'react-dom', 'node:*'] },
];

/** A regular expression for the path of a module, as dependency-cruiser resolves it. */
function pathOf(module) {
  const name = module.replace(/\*$/, '').replaceAll('.', '[.]');
  const isBeginning = module.endsWith('*');
  if (module === 'node:*') return `^(node:|)(${builtinModules.join('|')})$`;
  if (module.startsWith('node:')) return `^(node:|)${name.slice('node:'.length)}$`;
  if (/^(admin-site|bin|client|infra|lambdas)\b/.test(module)) return isBeginning ? `^${name}` : `^${name}(/index|)[.]`;
  if (module === 'package.json' || module === '*') return `^${name}`;
  const workspace = { '@license-key-service/admin': '^client/admin/src/', '@license-key-service/client*': '^client/src/' }[module];
  return workspace ?? `(^|node_modules/(@types/|))${name}${isBeginning ? '' : '(/|$)'}`;
}
const anyOf = (...lists) => lists.flat().map(pathOf).join('|');

/** The rules of one folder: other modules are forbidden, and the values of modules that may be imported for their types. */
function rulesOf({ folder, may, never = [], shared = [], types = [] }) {
  const inside = rules.filter((rule) => rule.folder.startsWith(`${folder}/`)).map((rule) => `^${rule.folder}/`);
  const from = { path: `^${folder}/`, ...(inside.length > 0 && { pathNot: inside.join('|') }) };
  const rule = (name, to) => ({ name: `${folder}: ${name}`, severity: 'error', from, to });
  const found = [rule('may not import', { pathNot: anyOf(may, shared, types) })];
  const forbidden = never.filter((module) => !types.includes(module));
  if (forbidden.length > 0) found.push(rule('must not import', { path: anyOf(forbidden), pathNot: anyOf(shared, types) }));
  if (types.length > 0) found.push(rule('only types', { path: anyOf(types), pathNot: anyOf(shared, never.length > 0 ? [] : may), dependencyTypesNot: ['type-only'] }));
  return found;
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'a cycle, also of types: a reader can read each file before the files that import it',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'a folder without a rule',
      severity: 'error',
      from: { path: '^(bin|infra|lambdas|admin-site|client)/', pathNot: rules.map(({ folder }) => `^${folder}/`).join('|') },
      to: {},
    },
    {
      name: 'an example that does not import the package by its name',
      severity: 'error',
      from: { path: '^client/example/' },
      to: { path: '^client/src/', dependencyTypesNot: ['aliased-tsconfig'] },
    },
    ...rules.flatMap(rulesOf),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^client/(dist|admin/dist)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
  },
};
