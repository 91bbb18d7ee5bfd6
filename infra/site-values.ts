import { endpoints } from '../lambdas/contract';
import { isAudited, type Endpoint } from '../lambdas/contract/endpoint';
import { permits, scopes, type Scope } from '../lambdas/contract/scopes';

/** The token scopes that permit a call of the endpoint. */
const permittingScopes = ({ scope }: Endpoint): readonly Scope[] =>
  scope === undefined ? scopes : scopes.filter((held) => permits([held], scope));

/** What the admin page uses from the contract table at run time. The build replaces each name by its value. */
export const siteValues = {
  /**
   * The endpoints by name, for the typed client: method, path, whether an `Idempotency-Key` is supported, which scopes permit the call, and
   * whether a product-bound token may call it.
   */
  ROUTES: Object.fromEntries(
    endpoints.map((row: Endpoint) => [
      row.name,
      [row.method, row.path, row.idempotent ?? false, permittingScopes(row), row.subject !== 'deployment'],
    ]),
  ),
  /** The summaries of the operations that the audit log records, by name. */
  AUDITED_ACTIONS: Object.fromEntries(endpoints.filter(isAudited).map(({ name, summary }) => [name, summary])),
};
