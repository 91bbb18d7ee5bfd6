import { endpoints } from '../../lambdas/contract';
import { errorProblem, parseJson, type Document } from './document';
import { isOfPortal, textOf, type Plan, type Presented } from './plans';
import { exchange, readAnswers, type Answer } from './wire';
import type { World } from './world';

/** Routes whose responses may be cached by anyone and read by pages of any origin. */
const isPublic = new Set(endpoints.flatMap(({ name, maxAgeSeconds }) => (maxAgeSeconds === undefined ? [] : [name])));

/** Sends planned requests, and checks the responses. */

type Pairs = Plan['query'];

function credentials({ route, product }: Plan, presented: Presented): Pairs {
  if (!route.credential) return [];
  if (route.credential === 'LicenseKey') return licenses(product)[presented];
  const { name, right, foreign, otherName, other } = kinds[route.credential];
  const all: Readonly<Record<Presented, Pairs>> = {
    right: [[name, right]],
    none: [],
    wrong: [[name, ['', 'wrong', `${right}x`, `"${right}"`, `Bearer ${right}`][product % 5]!]],
    foreign: [[name, foreign]],
    'other kind': [[otherName, other]],
    doubled: [[name, `${right}, ${right}`]],
  };
  return all[presented];
}

/**
 * The credentials for each kind of route. The header `name` is sent with `right`, which is valid, or with `foreign`, which belongs to
 * another product or is of another kind. The header `otherName` belongs to another kind of route, and `other` is a valid credential for
 * that kind.
 */
const kinds = {
  AdminToken: {
    name: 'X-Svc-Admin-Token',
    right: '{{adminToken}}',
    foreign: '{{apiKey}}',
    otherName: 'X-API-Key',
    other: '{{apiKey}}',
  },
  ProductKey: {
    name: 'X-API-Key',
    right: '{{apiKey}}',
    foreign: '{{otherApiKey}}',
    otherName: 'X-Svc-Admin-Token',
    other: '{{adminToken}}',
  },
  PortalSession: {
    name: 'X-Portal-Session',
    right: '{{session}}',
    foreign: '{{otherSession}}',
    otherName: 'X-API-Key',
    other: '{{apiKey}}',
  },
} as const;

/** The credentials for routes that require a license key. */
const licenses = (turn: number): Readonly<Record<Presented, Pairs>> => {
  const of = (key: string): Pairs => [
    ['X-API-Key', '{{apiKey}}'],
    ['X-License-Key', key],
  ];
  return {
    right: of('{{key}}'),
    none: [],
    wrong: of(['', 'wrong', '{{key}}x', '"{{key}}"', 'Bearer {{key}}'][turn % 5]!),
    foreign: of('{{otherKey}}'),
    'other kind': [['X-Svc-Admin-Token', '{{adminToken}}']],
    doubled: of('{{key}}, {{key}}'),
  };
};

/** The bytes of a plan, divided into the parts that are sent. */
export function bytesOf(plan: Plan, world: World): Buffer[] {
  const { route, params, query, headers, chunked, product, pick } = plan;
  const resolve = (text: string): string => world.resolve(text, product, pick);
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  const search = query.length > 0 ? `?${query.map(([name, value]) => `${name}=${value}`).join('&')}` : '';
  const body = Buffer.from(resolve(textOf(plan)));
  const framing: Pairs = body.length === 0 ? [] : chunked ? [['Transfer-Encoding', 'chunked']] : [['Content-Length', String(body.length)]];
  const given = headers.some(([name]) => name.toLowerCase() === 'content-type');
  const type: Pairs = body.length > 0 && !given ? [['Content-Type', 'application/json']] : [];
  const lines = [
    ['Host', 'localhost'],
    ...credentials(plan, plan.credential),
    ...type,
    ...headers,
    ...framing,
    ['Connection', 'close'],
  ].map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(resolve(`${route.method} ${path}${search} HTTP/1.1\r\n${lines.join('')}\r\n`), 'latin1');
  if (!chunked || body.length === 0) return [Buffer.concat([head, body])];
  const middle = pick % body.length;
  const chunk = (part: Buffer): Buffer[] =>
    part.length === 0 ? [] : [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')];
  const chunks = Buffer.concat([...chunk(body.subarray(0, middle)), ...chunk(body.subarray(middle)), Buffer.from('0\r\n\r\n')]);
  // In one of twenty chunked requests the body is sent after a pause.
  return pick % 20 === 0 ? [head, chunks.subarray(0, 1), chunks.subarray(1)] : [Buffer.concat([head, chunks])];
}

/** Returns what is wrong with the response to a planned request; undefined if the response is correct. */
function problemOf(plan: Plan, world: World, document: Document, answer: Answer): string | undefined {
  const { route, credential, twist } = plan;
  const general = answer.status >= 400 ? errorProblem(answer) : undefined;
  // If no route has the changed path, the gateway itself responds, and the document does not describe the response.
  const unrouted = twist === 'path' && answer.status === 404 && !route.statuses.includes(404);
  const documented = unrouted ? undefined : document.problem(route, answer);
  if (general ?? documented) return general ?? documented;

  const ofPortal = isOfPortal(route);
  // If another request has closed the portal, the service responds with 404 before it checks anything else.
  const isClosed = ofPortal && answer.status === 404;
  if (route.credential && !isClosed) {
    const refused = answer.status === 401;
    // Routes with a license key are not checked here, because another request may have made the downloads public. A refusal of the right
    // credential is not an error if the path was changed: such a path may name another product, which refuses the API key of this product.
    if (!refused && credential !== 'right' && !unrouted && route.credential !== 'LicenseKey')
      return `The service accepted the credential "${credential}"`;
    if (
      refused &&
      credential === 'right' &&
      twist !== 'path' &&
      // Another request may have ended the session.
      !ofPortal &&
      !plan.headers.some(([name]) => /^x-(api-key|svc-admin-token)$/i.test(name))
    )
      return 'The right credential is refused';
  }
  // If the product does not allow an action in the portal, the service responds with 403 before it checks the body.
  const past422 = ![401, 422, ...(ofPortal ? [403] : [])].includes(answer.status) && !isClosed && !unrouted;
  if (past422 && route.body) {
    const text = world.resolve(textOf(plan), plan.product, plan.pick);
    const objection = document.objection(route, text === '' ? {} : parseJson(text));
    if (objection !== undefined) return `The service accepted a body that the document forbids: ${objection}`;
  }
  const anyOrigin = answer.headers['access-control-allow-origin'] === '*';
  if (!unrouted && anyOrigin !== (['ProductKey', 'LicenseKey'].includes(route.credential ?? '') || isPublic.has(route.name)))
    return `The response is readable by any origin: ${anyOrigin}`;
  return undefined;
}

/** Sends a planned request. @throws Error if the response is wrong */
export async function send(plan: Plan, world: World, document: Document, baseUrl: string): Promise<Answer> {
  const parts = bytesOf(plan, world);
  const shown = (): string => `${plan.twist ?? 'nothing wrong'} | ${Buffer.concat(parts).toString('latin1').slice(0, 1500)}`;
  const answers = readAnswers(await exchange(baseUrl, parts));
  const [answer] = answers;
  if (!answer || answers.length > 1) throw new Error(`${answers.length} answers to ${shown()}`);
  const problem = problemOf(plan, world, document, answer);
  if (problem !== undefined)
    throw new Error(`${problem}\n→ ${shown()}\n← ${answer.status} ${JSON.stringify(answer.headers)} ${answer.body.slice(0, 500)}`);
  world.learn(plan, answer);
  return answer;
}
