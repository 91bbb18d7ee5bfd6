/**
 * `sell --processor stripe --url <connection url> --secret <secret>`: sends notifications to any URL in the format and with the signature
 * of the payment processor, and prints each request with its response.
 */
import { processors, type Processor } from '../lambdas/contract/processors';
import type { Command } from 'commander';
import { addExamples, httpUrl, isOneOf, UsageError, wholeNumber } from './command-line';
import { serveApi } from './sell/api';
import { missingFacts, needsSubscription, scenarioNames, scenarios, shops, stepsOf, type ScenarioName } from './sell/scenarios';
import { newOrder, type Message, type Shop } from './sell/shop';
import { print, printText } from './terminal';

/** Maximum of `--quantity`, `--count` and `--concurrency`. */
const MAX_NUMBER = 1_000_000;

/** The values of the options as commander reads them. */
interface Values {
  readonly processor: Processor;
  readonly url: string;
  readonly secret?: string;
  readonly scenario: string;
  readonly ref?: string;
  readonly otherRef?: string;
  readonly email: string;
  readonly quantity: number;
  readonly subscription: boolean;
  readonly test: boolean;
  readonly count: number;
  readonly concurrency: number;
  readonly serveApi?: number;
  readonly lost: boolean;
  readonly verbose: boolean;
}

interface Options extends Omit<Values, 'scenario' | 'secret'> {
  readonly secret: string;
  readonly scenarios: readonly ScenarioName[];
}

export function define(command: Command): void {
  const number = wholeNumber(1, MAX_NUMBER);
  command
    .addOption(command.createOption('--processor <name>', 'the payment processor').choices(processors).makeOptionMandatory())
    .requiredOption('--url <url>', "the connection's url, as GET /v1/payment-connections/{id} shows it", httpUrl)
    .option('--secret <secret>', "the connection's signing secret; Gumroad has none")
    .option('--scenario <names>', 'one of those below, several separated by commas, or all', 'sale')
    .option('--ref <ref>', "what is sold: the ref of one of the connection's plans")
    .option('--other-ref <ref>', 'the ref after a change of plan, or the ref of an added line')
    .option('--email <address>', "the buyer's address", 'ada@example.com')
    .option('--quantity <number>', 'how many are bought', number, 1)
    .option('--subscription', 'sells a subscription even if the scenario does not need one', false)
    .option('--test', 'test mode, if the processor reports it', false)
    .option('--count <number>', 'the number of buyers, each with a separate order', number, 1)
    .option('--concurrency <number>', 'the number of buyers at the same time', number, 1)
    .option(
      '--serve-api <port>',
      "serves the processor's API at this port, until Ctrl-C: start the service with STRIPE_API_BASE=http://127.0.0.1:<port> (or PADDLE_, LEMONSQUEEZY_, POLAR_, GUMROAD_), and give the connection any api_key",
      wholeNumber(0, 65_535),
    )
    .option('--lost', 'sends nothing, as if every notification was lost. With --serve-api, reconciliation finds the sale', false)
    .option('--verbose', 'prints whole bodies', false)
    .addHelpText('after', `\nScenarios:\n${scenarioNames.map((name) => `  ${name.padEnd(15)} ${scenarios[name].about}`).join('\n')}`)
    .action(async (values: Values) => {
      process.exitCode = (await run(check(values))) ? 0 : 1;
    });
  addExamples(command, 'license-key-service sell --processor stripe --url <connection url> --secret <signing secret>');
}

/** Checks the options that depend on one another. @throws UsageError */
function check({ scenario, secret = '', ...values }: Values): Options {
  const { processor } = values;
  if (processor === 'gumroad' && secret !== '')
    throw new UsageError('--secret: Gumroad signs nothing, so its connections have no signing secret.');
  if (processor !== 'gumroad' && secret === '') throw new UsageError("--secret is needed: the connection's signing_secret.");
  const shop = shops[processor]();
  const wanted = scenario === 'all' ? scenarioNames.filter((name) => missingFacts(shop, name).length === 0) : scenario.split(',');
  const chosen = wanted.map((name) => {
    if (!isOneOf(scenarioNames, name)) throw new UsageError(`--scenario must be all, or some of ${scenarioNames.join(', ')}.`);
    const missing = missingFacts(shop, name);
    if (missing.length > 0) throw new UsageError(`--scenario ${name}: ${processor} sends nothing for "${missing.join('", "')}".`);
    return name;
  });
  for (const [option, value = ''] of [['ref', values.ref] as const, ['other-ref', values.otherRef] as const]) {
    if (processor === 'lemonsqueezy' && !/^\d*$/.test(value))
      throw new UsageError(`--${option} must be a number: Lemon Squeezy's variants are numbered.`);
  }
  if (values.lost && values.serveApi === undefined)
    throw new UsageError('--lost needs --serve-api: otherwise the service could never find the sale.');
  return { ...values, secret, scenarios: chosen };
}

const shortened = (text: string): string => (text.length > 160 ? `${text.slice(0, 160)}…` : text).replace(/\s+/g, ' ');

/** Sends one message; returns true if the service accepted it. */
async function send(options: Options, shop: Shop, message: Message): Promise<boolean> {
  const headers = shop.sign(message, options.secret, Date.now());
  printText(`→ ${message.type}  ${options.verbose ? `${JSON.stringify(headers)}\n${message.body}` : shortened(message.body)}`);
  if (options.lost) {
    print('  (lost)');
    return true;
  }
  const begun = performance.now();
  try {
    // Payment processors do not follow redirects.
    const response = await fetch(options.url, {
      method: 'POST',
      headers,
      body: message.body,
      redirect: 'manual',
      signal: AbortSignal.timeout(30_000),
    });
    print(`← ${response.status} ${await response.text()} (${Math.round(performance.now() - begun)} ms)`);
    return response.status === 200;
  } catch (error) {
    const { cause, message: reason } = error as Error;
    print(`← no response: ${cause instanceof Error && cause.message !== '' ? cause.message : reason}`);
    return false;
  }
}

async function play(options: Options, shop: Shop, name: ScenarioName): Promise<boolean> {
  const order = newOrder(
    {
      email: options.email,
      ref: options.ref ?? shop.ref.example,
      otherRef: options.otherRef,
      quantity: options.quantity,
      recurring: options.subscription || needsSubscription(name),
      test: options.test,
    },
    Date.now(),
  );
  let accepted = true;
  for (const { title, messages } of stepsOf(name, shop, order)) {
    printText(`\n${name}: ${title}`);
    for (const message of messages) accepted = (await send(options, shop, message)) && accepted;
  }
  return accepted;
}

async function run(options: Options): Promise<boolean> {
  const shop = shops[options.processor]();
  const api =
    options.serveApi === undefined
      ? undefined
      : await serveApi(shop, options.serveApi, (path, status) => print(`  API: ${path} → ${status}`));
  if (api) print(`${options.processor}'s API is at ${api.url}`);
  if (options.ref === undefined) print(`The order is for the ${shop.ref.is} ${shop.ref.example}. Use --ref to sell something else.`);

  const orders = options.scenarios.flatMap((name) => Array.from({ length: options.count }, () => name));
  let accepted = true;
  const work = async (): Promise<void> => {
    for (let name = orders.shift(); name !== undefined; name = orders.shift()) accepted = (await play(options, shop, name)) && accepted;
  };
  await Promise.all(Array.from({ length: Math.min(options.concurrency, orders.length) }, work));

  if (api) {
    printText(`\nThe API runs until Ctrl-C: ${api.url}`);
    await new Promise<void>((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    });
    await api.stop();
  }
  return accepted;
}
