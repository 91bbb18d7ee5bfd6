import { COMPUTED, impurities, importsOf, type Import, type SourceFile } from './imports';

/** The imports that the files of a folder may have. A name that ends in `*` stands for all names with that beginning. */
interface Rule {
  readonly folder: string;
  readonly may: readonly string[];
  /** Modules that are forbidden although `may` allows them. */
  readonly never?: readonly string[];
  /** Modules that are allowed although `never` forbids them. */
  readonly shared?: readonly string[];
  /** Modules whose types may be imported, but not their values. */
  readonly types?: readonly string[];
  /** True if the folder's code must not use time, random numbers or the environment. */
  readonly pure?: boolean;
}

const dynamo = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', '@aws-sdk/util-dynamodb', '@aws-sdk/core/protocols', '@smithy/*'];
const behindRoutes = ['lambdas/runtime/*', 'lambdas/store/*', 'lambdas/domain/*', 'lambdas/contract/*', 'lambdas/contract'];
const contract = ['lambdas/contract/*', 'lambdas/contract'];
const neverForPages = ['lambdas/*', 'infra/*', 'bin/*', 'aws-cdk-lib*', 'constructs', '@aws-sdk/*', '@middy/*', 'node:*'];

/** The allowed import directions. The rule of the most specific folder applies to a file. */
export const rules: readonly Rule[] = [
  { folder: 'lambdas/contract', may: [...contract, 'zod/mini', 'node:url', 'punycode.js'], pure: true },
  // The body of a custom shop's notification is checked with a schema, like a request.
  { folder: 'lambdas/domain', may: ['lambdas/domain/*', ...contract, 'node:crypto', 'zod/mini'], pure: true },
  { folder: 'lambdas/store', may: ['lambdas/store/*', 'lambdas/domain/*', ...contract, ...dynamo, 'node:crypto', 'node:zlib'] },
  {
    folder: 'lambdas/runtime',
    may: [...behindRoutes, '@middy/*', 'zod/mini', 'nodemailer', 'ipaddr.js', 'node:*', 'package.json'],
    types: ['aws-lambda'],
  },
  // The implementations of the ports with the AWS SDK. Only the store may use the SDK's client of DynamoDB.
  { folder: 'lambdas/runtime/aws', may: [...behindRoutes, '@aws-sdk/*', 'nodemailer'], never: dynamo },
  { folder: 'lambdas/runtime/substitutes', may: ['@aws-sdk/credential-provider-env'] },
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
    may: ['infra/*', ...contract, 'lambdas/runtime/openapi-text', 'aws-cdk-lib*', 'cdk-nag', 'constructs', 'esbuild', 'node:*'],
    never: ['infra/local/*'],
  },
  {
    folder: 'infra/local',
    // COMPUTED is allowed because the handlers are loaded when they are first needed.
    may: [
      'infra/local/*',
      'infra/gateway-responses',
      'infra/page-headers',
      'infra/preflight',
      'infra/projections',
      'infra/sizing',
      'lambdas/runtime/*',
      'lambdas/store/client',
      'lambdas/domain/seal',
      'lambdas/use-cases/reseal',
      ...contract,
      '@aws-sdk/client-dynamodb',
      '@dynoxide/*',
      'zod/mini',
      'node:*',
      COMPUTED,
    ],
    types: ['aws-lambda', '@smithy/types'],
  },
  // `npm run reseal` accesses the table directly, like a function of the service.
  {
    folder: 'bin',
    may: [
      'bin/*',
      'infra/*',
      'lambdas/runtime/app',
      'lambdas/domain/seal',
      'lambdas/use-cases/reseal',
      '@license-key-service/admin',
      '@modelcontextprotocol/sdk/*',
      'aws-cdk-lib',
      'commander',
      'node:*',
      'package.json',
      // The files of the commands are loaded when they are first needed.
      COMPUTED,
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
      'lambdas/domain/csv',
      'lambdas/domain/email',
      'lambdas/domain/import/*',
      'lambdas/domain/license-key',
      'lambdas/domain/releases/target',
      'lambdas/domain/time',
      'lambdas/contract/license-columns',
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
  { folder: 'client/example/electron', may: ['client/example/electron/*', '@license-key-service/client*', 'electron', 'react', 'node:*'] },
];

const matches = (module: string, patterns: readonly string[] = []): boolean =>
  patterns.some((pattern) => (pattern.endsWith('*') ? module.startsWith(pattern.slice(0, -1)) : module === pattern));

/** The rule of the most specific folder that contains a file. */
const ruleOf = (path: string): Rule | undefined =>
  rules
    .filter(({ folder }) => path.startsWith(`${folder}/`))
    .sort((a, b) => b.folder.length - a.folder.length)
    .at(0);

const allows = ({ may, never, shared, types }: Rule, { module, typeOnly }: Import): boolean =>
  (matches(module, may) && !matches(module, never)) || matches(module, shared) || (typeOnly && matches(module, types));

const moduleOf = (path: string): string => path.replace(/\.[cm]?[jt]sx?$/, '');

/**
 * The files that each file imports. Imports of types count too, because a reader who wants to understand a file of an import cycle must
 * read the whole cycle.
 */
function importGraph(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const pathOf = new Map(files.flatMap(({ path }) => [moduleOf(path), moduleOf(path).replace(/\/index$/, '')].map((name) => [name, path])));
  return new Map(files.map((file) => [file.path, importsOf(file).flatMap(({ module }) => pathOf.get(module) ?? [])]));
}

/** The import cycles that a walk through all imports finds, each as a path of files. Empty if there is no cycle. */
export function cycles(files: readonly SourceFile[]): readonly string[] {
  const graph = importGraph(files);
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) found.push([...trail.slice(start), path].join(' imports '));
    if (start >= 0 || done.has(path)) return;
    for (const imported of graph.get(path) ?? []) visit(imported, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return found;
}

/** A sentence for every forbidden import, and for every forbidden use of time, random numbers or the environment. */
export function violations(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => {
    const rule = ruleOf(file.path);
    if (!rule) return [`${file.path} is in a folder that no rule covers`];
    const imports = importsOf(file)
      .filter((imported) => !allows(rule, imported))
      .map(({ module, typeOnly }) => `${file.path} must not import ${module}${typeOnly ? ' (types)' : ''}`);
    const uses = rule.pure ? impurities(file).map((use) => `${file.path} must not use ${use}`) : [];
    return [...imports, ...uses];
  });
}
