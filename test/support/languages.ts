import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { compileExample } from './example';

/** Runs the command-line samples of the clients in all languages that this machine can run without a download. */

const root = resolve(__dirname, '../..');
const client = join(root, 'client');
const run = promisify(execFile);

/** A runnable sample: the program file, and the arguments that come before the arguments of the sample's command. */
export interface Program {
  readonly file: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Language {
  readonly name: string;
  /** The tool that is missing on this machine; undefined if nothing is missing. */
  readonly missing: string | undefined;
  /** Prepares the sample for a run. Files that the run needs are created in the folder. */
  prepare(folder: string): Promise<Program>;
}

/** Runs a command to find out whether a tool exists. Returns `what` if the command fails, and undefined if it succeeds. */
function lacks(
  what: string,
  file: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): string | undefined {
  return spawnSync(file, args, { stdio: 'ignore', timeout: 20_000, ...options }).status === 0 ? undefined : what;
}

/** `PYTHON` names another interpreter, for example of a virtual environment. */
const python = process.env['PYTHON'] ?? 'python3';
/** Environment variables that keep Go from downloading modules or another toolchain. */
const goEnvironment = { GOPROXY: 'off', GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod' };

/** Options for Cargo. Crates that were already downloaded are compiled once for all runs; nothing is downloaded. */
const cargo = { cwd: join(client, 'rust'), env: { ...process.env, CARGO_TARGET_DIR: join(tmpdir(), 'license-key-service-rust') } };
const cargoOptions = ['--offline', '--no-default-features'];

/** The C library is built with the same options as in its own tests, so that nothing is built twice (.ci/clients). */
const cargoOfC = { ...cargo, cwd: join(client, 'c') };
const optionsOfC = [...cargoOptions, '--features', 'test'];

/** The annotations that the Java client is compiled with. Maven has put them into its local repository when it built the client. */
const annotations = ((version = '') => join(homedir(), `.m2/repository/org/jspecify/jspecify/${version}/jspecify-${version}.jar`))(
  /<artifactId>jspecify<\/artifactId>\s*<version>(.+)<\/version>/.exec(readFileSync(join(client, 'java/core/pom.xml'), 'utf8'))?.[1],
);
const javaSources = ['core', 'example'].flatMap((module) => {
  const folder = join(client, 'java', module, 'src/main/java');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.java') && !path.endsWith('module-info.java'))
    .map((path) => join(folder, path));
});

export const languages: readonly Language[] = [
  {
    name: 'TypeScript',
    missing: undefined,
    prepare: (folder) => Promise.resolve({ file: process.execPath, args: [compileExample(folder)] }),
  },
  {
    name: 'Python',
    missing: lacks('Python 3.9 or later with the package cryptography', python, [
      '-c',
      'import sys, cryptography; sys.exit(sys.version_info < (3, 9))',
    ]),
    prepare: () =>
      Promise.resolve({
        file: python,
        args: ['-B', join(client, 'python/example/app.py')],
        env: { PYTHONPATH: join(client, 'python/src') },
      }),
  },
  {
    name: 'Go',
    missing: lacks('Go 1.23 or later', 'go', ['list', './...'], { cwd: join(client, 'go'), env: { ...process.env, ...goEnvironment } }),
    async prepare(folder) {
      const file = join(folder, 'example-in-go');
      await run('go', ['build', '-o', file, './example'], { cwd: join(client, 'go'), env: { ...process.env, ...goEnvironment } });
      return { file };
    },
  },
  {
    name: 'Rust',
    missing: lacks('Rust 1.85 or later with the crates that its client needs', 'cargo', ['tree', ...cargoOptions], cargo),
    async prepare() {
      await run('cargo', ['build', ...cargoOptions, '--example', 'app'], cargo);
      return { file: join(cargo.env.CARGO_TARGET_DIR, 'debug/examples/app') };
    },
  },
  {
    name: 'C',
    missing:
      lacks('C compiler', 'cc', ['--version']) ??
      lacks('Rust 1.85 or later with the crates that its client needs', 'cargo', ['tree', ...optionsOfC], cargoOfC),
    async prepare(folder) {
      await run('cargo', ['build', ...optionsOfC], cargoOfC);
      const file = join(folder, 'example-in-c');
      const library = join(cargo.env.CARGO_TARGET_DIR, 'debug/liblicense_key_client.a');
      await run('cc', ['-o', file, 'example/app.c', library, '-lm', '-ldl', '-lpthread'], { cwd: cargoOfC.cwd });
      return { file };
    },
  },
  {
    name: 'Java',
    missing: existsSync(annotations)
      ? lacks('JDK 17 or later', 'javac', ['--release', '17', '--version'])
      : 'local repository of Maven with JSpecify',
    async prepare(folder) {
      const classes = join(folder, 'example-in-java');
      await run('javac', ['--release', '17', '-nowarn', '-d', classes, '--class-path', annotations, ...javaSources]);
      return { file: 'java', args: ['--class-path', classes, 'example.App'] };
    },
  },
];

/**
 * Returns a function that runs a prepared sample with the data folder of an app. The function returns the sample's standard output. It
 * throws an error if the sample fails or writes to its standard error anything but the warning that a file belongs to another user.
 *
 * @param prefix a command that runs the sample
 * @param onText called with what the sample has written so far to its standard output
 */
export const runnerOf =
  ({ file, args = [], env = {} }: Program, prefix: readonly string[] = [], onText?: (text: string) => void) =>
  async (appFolder: string, ...command: readonly string[]): Promise<string> => {
    const [program = '', ...rest] = [...prefix, file, ...args, ...command];
    const running = run(program, rest, { cwd: root, env: { ...process.env, ...env, EXAMPLE_DIR: appFolder } });
    let text = '';
    running.child.stdout?.on('data', (part: string) => onText?.((text += part)));
    const { stdout, stderr } = await running;
    if (stderr.replace(/^.*belongs to another user.*\n(.*--trace-warnings.*\n)?/gm, '') !== '') throw new Error(stderr);
    return stdout.trim();
  };
