import { errors } from '../../../lambdas/contract/errors';
import { openapiDocument } from '../../../lambdas/contract/openapi';

/** A developer who handles errors finds every code of the service in the tables of errors. */

const rows = Object.values(errors);

test('the description of the API, which /docs shows, lists every error', () => {
  const { description } = openapiDocument({ version: '1' }).info as { readonly description: string };
  const [, chapter] = description.split('\n\n## Errors\n\n');
  const listed = (chapter ?? '').split('\n').filter((line) => line.startsWith('- '));
  expect(listed).toEqual(rows.map(({ status, code, meaning }) => `- **${status}** \`${code}\`: ${meaning}`));
});
