/**
 * `npm run sell -- --processor stripe --url <connection url> --secret <secret>`: sends notifications to any URL in the format and
 * with the signature of the payment processor, and prints each request with its response.
 */
import { parseArgs } from 'node:util';
import { serveApi } from './sell/api';
import { missingFacts, needsSubscription, scenarioNames, scenarios, shops, stepsOf, type ScenarioName } from './sell/scenarios';
import { newOrder, processorNames, type Message, type ProcessorName, type Shop } from './sell/shop';
import { print, printErrorText, printFault, printText } from './terminal';

const USAGE = `Sends notifications to a payment connection of this service, as a payment processor would.

  npm run sell -- --processor stripe --url <connection url> --secret <signing secret> [options]

  --processor     ${processorNames.join(', ')}
  --url           the connection's url, as GET /v1/payment-connections/{id} shows it
  --secret        the connection's signing secret; Gumroad has none
  --scenario      one of those below, several separated by commas, or all (default: sale)
  --ref           what is sold: the ref of one of the connection's plans
  --other-ref     the ref after a change of plan, or the ref of an added line
  --email         the buyer's address (default: ada@example.com)
  --quantity      how many are bought (default: 1)
  --subscription  sells a subscription even if the scenario does not need one
  --test          test mode, if the processor reports it
  --count         the number of buyers, each with a separate order (default: 1)
  --concurrency   the number of buyers at the same time (default: 1)
  --serve-api     serves the processor's API at this port, until Ctrl-C: start the service
                  with STRIPE_API_BASE=http://127.0.0.1:<port> (or PADDLE_, LEMONSQUEEZY_, POLAR_, GUMROAD_),
                  and give the connection any api_key
  --lost          sends nothing, as if every notification was lost. With --serve-api, reconciliation finds the sale
  --verbose       prints whole bodies
  --help

Scenarios:
${scenarioNames.map((name) => `  ${name.padEnd(15)} ${scenarios[name].about}`).join('\n')}`;

/** Maximum of `--quantity`, `--count` and `--concurrency`. */
const MAX_NUMBER = 1_000_000;

/** The user gave invalid arguments; the message says which. */
class UsageError extends Error {}

const isOneOf = <Name extends string>(names: readonly Name[], value: string | undefined): value is Name =>
  names.some((name) => name === value);

interface Options {
  readonly processor: ProcessorName;
  readonly url: URL;
  readonly secret: string;
  readonly scenarios: readonly ScenarioName[];
  readonly ref: string | undefined;
  readonly otherRef: string | undefined;
  readonly email: string;
  readonly quantity: number;
  readonly subscription: boolean;
  readonly test: boolean;
  readonly count: number;
  readonly concurrency: number;
  readonly apiPort: number | undefined;
  readonly lost: boolean;
  readonly verbose: boolean;
}

function wholeNumber(name: string, value: string, minimum: number, maximum: number): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < minimum || number > maximum)
    throw new UsageError(`--${name} must be a whole number from ${minimum} to ${maximum}.`);
  return number;
}

function addressOf(value: string | undefined): URL {
  if (value === undefined) throw new UsageError('--url is needed: the url of a payment connection.');
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new UsageError('--url must be an address that begins with http:// or https://.');
  return new URL(value);
}

function parse(args: readonly string[]): Options | 'help' {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      processor: text,
      url: text,
      secret: text,
      ref: text,
      'other-ref': text,
      'serve-api': text,
      scenario: { ...text, default: 'sale' },
      email: { ...text, default: 'ada@example.com' },
      quantity: { ...text, default: '1' },
      count: { ...text, default: '1' },
      concurrency: { ...text, default: '1' },
      subscription: flag,
      test: flag,
      lost: flag,
      verbose: flag,
      help: flag,
    },
  });
  if (values.help) return 'help';
  const { processor, secret } = values;
  if (!isOneOf(processorNames, processor)) throw new UsageError(`--processor must be one of ${processorNames.join(', ')}.`);
  const url = addressOf(values.url);
  if (processor === 'gumroad' && secret !== undefined)
    throw new UsageError('--secret: Gumroad signs nothing, so its connections have no signing secret.');
  if (processor !== 'gumroad' && !secret) throw new UsageError("--secret is needed: the connection's signing_secret.");
  const shop = shops[processor]();
  const wanted =
    values.scenario === 'all' ? scenarioNames.filter((name) => missingFacts(shop, name).length === 0) : values.scenario.split(',');
  const chosen = wanted.map((name) => {
    if (!isOneOf(scenarioNames, name)) throw new UsageError(`--scenario must be all, or some of ${scenarioNames.join(', ')}.`);
    const missing = missingFacts(shop, name);
    if (missing.length > 0) throw new UsageError(`--scenario ${name}: ${processor} sends nothing for "${missing.join('", "')}".`);
    return name;
  });
  for (const name of ['ref', 'other-ref'] as const) {
    if (processor === 'lemonsqueezy' && !/^\d*$/.test(values[name] ?? ''))
      throw new UsageError(`--${name} must be a number: Lemon Squeezy's variants are numbered.`);
  }
  if (values.lost && values['serve-api'] === undefined)
    throw new UsageError('--lost needs --serve-api: otherwise the service could never find the sale.');
  return {
    processor,
    url,
    secret: secret ?? '',
    scenarios: chosen,
    ref: values.ref,
    otherRef: values['other-ref'],
    email: values.email,
    quantity: wholeNumber('quantity', values.quantity, 1, MAX_NUMBER),
    subscription: values.subscription,
    test: values.test,
    count: wholeNumber('count', values.count, 1, MAX_NUMBER),
    concurrency: wholeNumber('concurrency', values.concurrency, 1, MAX_NUMBER),
    apiPort: values['serve-api'] === undefined ? undefined : wholeNumber('serve-api', values['serve-api'], 0, 65_535),
    lost: values.lost,
    verbose: values.verbose,
  };
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
    options.apiPort === undefined
      ? undefined
      : await serveApi(shop, options.apiPort, (path, status) => print(`  API: ${path} → ${status}`));
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

async function main(): Promise<number> {
  try {
    const options = parse(process.argv.slice(2));
    if (options === 'help') {
      printText(USAGE);
      return 0;
    }
    return (await run(options)) ? 0 : 1;
  } catch (error) {
    // Node's errors for an unknown option or a port in use have a `code`. The user can correct these errors.
    const expected = error instanceof UsageError || (error instanceof Error && 'code' in error);
    if (!expected) {
      printFault(error);
      return 1;
    }
    printErrorText(`${error.message}\n\nnpm run sell -- --help shows all options.`);
    return 2;
  }
}

void main().then((code) => (process.exitCode = code));
