import type { AuditEntry } from './api';

/** The CSV columns of the audit log. */
export const auditColumns: readonly {
  readonly name: string;
  readonly value: (entry: AuditEntry) => string | number | null;
}[] = [
  { name: 'at', value: (row) => row.at },
  { name: 'actor_name', value: (row) => row.actor_name },
  { name: 'actor', value: (row) => row.actor },
  { name: 'action', value: (row) => row.action },
  { name: 'summary', value: (row) => row.summary },
  {
    name: 'changes',
    value: (row) => row.changes.map(({ field, before, after }) => `${field}: ${before ?? ''} → ${after ?? ''}`).join('; '),
  },
  { name: 'product_id', value: (row) => row.product_id },
  { name: 'license_id', value: (row) => row.license_id },
  { name: 'license_key', value: (row) => row.license_key ?? null },
  { name: 'customer_email', value: (row) => row.customer_email ?? null },
  { name: 'target', value: (row) => row.target },
  { name: 'source_ip', value: (row) => row.source_ip },
  { name: 'user_agent', value: (row) => row.user_agent },
  { name: 'request_id', value: (row) => row.request_id },
  { name: 'id', value: (row) => row.id },
];
