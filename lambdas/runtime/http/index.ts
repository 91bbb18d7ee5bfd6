/** What the handlers in `lambdas/api` need to serve an endpoint. A bundle contains only the exports that it uses. */
export { client, clientWithKey, signingInClient } from './client';
export { operator } from './operator';
export { buyer, visitor } from './portal';
export { anyone, checkedByOperation, serve } from './serve';
