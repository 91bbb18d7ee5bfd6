import type { AuditEntryView } from './audit';
import type { Column } from './endpoint';

/** The CSV columns of the audit log. (docs/spec/operator.md, Audit log) */
export const auditColumns: readonly Column<AuditEntryView>[] = [
  { name: 'at', description: 'When it was done.', value: (row) => row.at },
  { name: 'actor_name', description: 'Who did it.', value: (row) => row.actor_name },
  { name: 'actor', description: 'Id of who did it.', value: (row) => row.actor },
  { name: 'action', description: 'The name of the operation.', value: (row) => row.action },
  { name: 'summary', description: 'What was done, and the names of the changed fields.', value: (row) => row.summary },
  {
    name: 'changes',
    description: 'Old and new values, one change after another.',
    value: (row) => row.changes.map(({ field, before, after }) => `${field}: ${before ?? ''} → ${after ?? ''}`).join('; '),
  },
  { name: 'product_id', description: 'The product.', value: (row) => row.product_id },
  { name: 'license_id', description: 'The license.', value: (row) => row.license_id },
  { name: 'license_key', description: 'The present key of the license.', value: (row) => row.license_key },
  { name: 'customer_email', description: 'The present buyer of the license.', value: (row) => row.customer_email },
  { name: 'target', description: 'What was changed.', value: (row) => row.target },
  { name: 'source_ip', description: 'The address of the caller.', value: (row) => row.source_ip },
  { name: 'user_agent', description: 'The program of the caller.', value: (row) => row.user_agent },
  { name: 'request_id', description: 'The `X-Request-Id` of the response.', value: (row) => row.request_id },
  { name: 'id', description: 'Id of the entry.', value: (row) => row.id },
];
