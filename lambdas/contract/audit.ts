import * as z from 'zod/mini';
import { documented } from './schema';
import { endpoint } from './endpoint';
import { AUDIT_DAYS } from './limits';
import { pageByTime } from './paging';
import { pathId } from './resources';
import { text, timestamp, timestampInput } from './text';

const auditEntry = documented(
  z.object({
    id: documented(z.string(), { description: 'The id of the entry, 32 hex digits.' }),
    at: timestamp,
    actor: documented(z.string(), {
      description:
        "Who made the change: `deployment` for the deployment's own token, the id of another admin token, `buyer`, or `processor:` followed by the name of a payment processor.",
    }),
    actor_name: documented(z.string(), { description: 'The name of the actor at the time of the change.' }),
    action: documented(z.string(), { description: 'The name of the operation, such as `revokeLicense`.' }),
    product_id: documented(z.nullable(z.int()), {
      description: 'The id of the product; null if the change concerned no product or several products.',
    }),
    license_id: z.nullable(z.int()),
    license_key: documented(z.optional(z.nullable(z.string())), {
      description: 'Present only with `include=licenses`: the current key of the license; null if the entry is not about a license.',
    }),
    customer_email: documented(z.optional(z.nullable(z.string())), {
      description: "Present only with `include=licenses`: the current e-mail address of the license's buyer; null if there is no address.",
    }),
    target: documented(z.nullable(z.string()), {
      description:
        "The changed resource, such as `license/17`. If the entry is about a request of a buyer, or about the export or erasure of a buyer's data, this field contains the hash of the buyer's e-mail address.",
    }),
    summary: documented(z.string(), { description: 'A summary of the change, with the names of the changed fields.' }),
    changes: documented(z.array(z.object({ field: z.string(), before: z.nullable(z.string()), after: z.nullable(z.string()) })), {
      description:
        'The old and new values of the changed fields of a license or license type, as text. Fields that are secret or about the buyer are left out.',
    }),
    request_id: documented(z.nullable(z.string()), {
      description: 'The `X-Request-Id` of the response; null if the change was not made by a request.',
    }),
    source_ip: z.nullable(z.string()),
    user_agent: z.nullable(z.string()),
  }),
  { id: 'AuditEntry' },
);
export type AuditEntryView = z.infer<typeof auditEntry>;

export const listAudit = /* @__PURE__ */ endpoint(() => ({
  name: 'listAudit',
  method: 'GET',
  path: '/v1/audit',
  tag: 'Audit log',
  summary: 'List the audit log',
  description: `Returns the entries of the audit log, newest first. There is an entry for every change by an operator or a buyer, and for every change of a license by a payment processor. Refused requests, and repeated requests that change nothing, have no entry. Several filters can be combined. A page of a filtered list may have few rows or none although there are more pages. Request the next page until a response has no \`Link\` header. Entries are kept for ${AUDIT_DAYS} days.`,
  credential: 'admin',
  scope: 'admin',
  subject: 'products',
  query: z.object({
    ...pageByTime,
    product_id: documented(z.optional(pathId), { description: 'Only entries about this product.' }),
    license_id: documented(z.optional(pathId), { description: 'Only entries about this license.' }),
    actor: documented(z.optional(text(1, 100)), { description: 'Only entries of this actor.' }),
    action: documented(z.optional(text(1, 100)), { description: 'Only entries of this operation, such as `revokeLicense`.' }),
    created_after: documented(z.optional(timestampInput), { description: 'Only entries at this instant or later.' }),
    created_before: documented(z.optional(timestampInput), { description: 'Only entries before this instant.' }),
    include: documented(z.optional(z.enum(['licenses'])), {
      description:
        'Additional fields of each entry. `licenses` adds the current key of the license and the current e-mail address of its buyer.',
    }),
  }),
  response: z.array(auditEntry),
  store: { BatchGetItem: ['audit', 'license', 'licenseId'], Query: ['audit'], indexes: ['list', 'lookup'] },
  examples: {
    response: [
      {
        id: '8d1f0c35a9be4e2f8c1a7b6d5e4f3a20',
        at: '2026-12-01T09:00:00.000Z',
        actor: 'deployment',
        actor_name: 'deployment',
        action: 'revokeLicense',
        product_id: 1,
        license_id: 1,
        license_key: '9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z',
        customer_email: 'ada@example.com',
        target: 'license/1',
        summary: 'Revoke a license: status, revoked_at',
        changes: [{ field: 'status', before: 'active', after: 'revoked' }],
        request_id: '5f6c0a6e-1f0b-4c55-9a53-0e6c3a1f7d20',
        source_ip: '203.0.113.7',
        user_agent: 'support-desk/2.1',
      },
    ],
  },
}));
