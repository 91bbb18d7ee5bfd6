import { endpoints } from '../../lambdas/contract';
import type { Credential } from '../../lambdas/contract/endpoint';
import { errors } from '../../lambdas/contract/errors';

/** Generates the tables of docs/spec/service.md that follow from the contract. */

const callers: Readonly<Record<Credential, string>> = {
  none: 'none',
  admin: 'admin token',
  product: 'API key',
  license: 'license',
  portal: 'portal session',
  signature: 'signature',
};

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => (cells[0] === '---' ? `|${cells.join('|')}|` : `| ${cells.join(' | ')} |`))
    .join('\n');

/** The table of endpoints, by area and by the required credential. */
export function endpointTable(): string {
  const groups = new Map<string, string[]>();
  for (const { tag, credential, method, path } of endpoints) {
    const group = `${tag} | ${callers[credential]}`;
    groups.set(group, [...(groups.get(group) ?? []), `\`${method} ${path}\``]);
  }
  return table(
    ['area', 'credential', 'endpoints'],
    [...groups].map(([group, routes]) => [group, routes.join('<br>')]),
  );
}

/** The table of errors with their statuses. */
export const errorTable = (): string =>
  table(
    ['status', 'code', 'meaning'],
    Object.values(errors).map(({ status, code, meaning }) => [String(status), `\`${code}\``, meaning]),
  );
