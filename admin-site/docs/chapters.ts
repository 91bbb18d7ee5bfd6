/** The introductory chapters of the API reference, which come before the list of operations. */

export interface Chapter {
  readonly title: string;
  /**
   * Returns the chapter's Markdown.
   *
   * @param origin the page's origin, which the chapter's examples contain
   * @param description the description of the API in the OpenAPI document
   */
  readonly text: (origin: string, description: string) => string;
}

/** Splits the document's description into the introduction and the part about errors. */
export function partsOf(description: string): { readonly introduction: string; readonly errors: string } {
  const [introduction = '', errors = ''] = description.split('\n## Errors\n');
  return { introduction, errors };
}

export const chapters: readonly Chapter[] = [
  {
    title: 'Getting started',
    text: (origin) => `Three requests create a license: first the product, then a license type, then the license.

\`\`\`sh
export SVC_ADMIN_TOKEN=…   # npm start prints it
admin() { curl -sS -H "X-Svc-Admin-Token: $SVC_ADMIN_TOKEN" -H 'Content-Type: application/json' "$@"; }

admin ${origin}/v1/products -d '{"name": "Aurora Notes", "slug": "aurora-notes"}'
admin ${origin}/v1/products/1/license-types -d '{"name": "Pro, yearly", "kind": "subscription", "max_seats": 2, "duration_days": 365}'
admin ${origin}/v1/products/1/licenses -d '{"license_type_id": 1, "customer_email": "ada@example.com"}'
\`\`\`

The app then activates the key on a device with the product's \`api_key\`, which takes a seat and returns an offline token:

\`\`\`sh
curl -sS ${origin}/v1/products/1/activate -H "X-API-Key: $API_KEY" -H 'Content-Type: application/json' \\
  -d '{"key": "…", "fingerprint": "b445ee19bfe194f3a68519763147dfb40caadac8841b9a6de282dbcfa0614f31"}'
\`\`\`

Apps in TypeScript or JavaScript, Python, Go, Rust, Java, C#, C and C++ use a client library instead. It first checks the offline token without a request, and renews the token in the background. The first lines in each language are on the product's page *Integration*. On the [admin page](/admin) you can create the product, the license type and the license without a line of code.`,
  },
  {
    title: 'Credentials',
    text: () => `The operator's requests carry \`X-Svc-Admin-Token\`; keep it on a server. Requests of client apps carry \`X-API-Key\`. The API key ships inside the app: it identifies the product, but is not a secret. A request with a missing or wrong credential gets 401, before any other check.

Besides the deployment's own token there are admin tokens with scopes: \`read\`, \`support\`, \`licenses\`, \`manage\` and \`admin\`, each of which includes all previous scopes, and \`releases\`. Every operation below names the scope that it needs; a token with a lower scope gets 403 \`forbidden\`. With a scope below \`manage\`, responses omit secrets, such as the \`api_key\` of a product. A token that is bound to a product sees and changes only that product: everything else is 404, as if it did not exist.

Enter your credentials here to try requests on this page:`,
  },
  {
    title: 'Paging',
    text: () => `Lists are bare JSON arrays in ascending id order. \`limit\` takes 1 to 1,000 rows. If more remain, the response has a \`Link\` header with \`rel="next"\`: follow the link to the next page, until a response has no such link. The cursor in the link is opaque.

\`\`\`http
Link: </v1/products/1/licenses?limit=100&cursor=MTAw>; rel="next"
\`\`\`

With a filter, a page may have fewer than \`limit\` rows, or even none, although more pages follow.`,
  },
  {
    title: 'Idempotency',
    text: () => `A response can get lost although the service handled the request. Operations with the header \`Idempotency-Key\` are safe to repeat: for 24 hours, the same key with the same request returns the first result and changes nothing more. The same key with a different request gets 409. Use a value that identifies the order, such as \`order-A-1001\`.

All other writes are always safe to repeat: a second revocation, for example, changes nothing.`,
  },
  {
    title: 'Errors',
    text: (_origin, description) => partsOf(description).errors,
  },
  {
    title: 'Receiving webhooks',
    text: () => `Every change of a license is posted as JSON to the product's webhook. Before you trust a body, compare \`X-Svc-Signature\` in constant time with the lowercase hex of HMAC-SHA256 over the raw bytes, under the product's webhook secret:

\`\`\`js
import { createHmac, timingSafeEqual } from 'node:crypto';

const isGenuine = (body, signature) => {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  const given = Buffer.from(signature ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
};
\`\`\`

- Any status below 400 within 10 seconds accepts the event. After a failed first attempt, there are up to three more: 1, 5 and 15 seconds after the previous attempt.
- An event arrives at least once: store the \`id\` of handled events.
- Events may arrive in a different order than they happened. To restore the order, use \`data.license.sequence\`, which rises by one with every change of a license.
- The headers of [Standard Webhooks](https://www.standardwebhooks.com) are sent too, with the same secret, for receivers that refuse old deliveries.`,
  },
];
