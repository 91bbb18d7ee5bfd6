import type { App } from '../../runtime/app';
import * as connections from '../../store/payments/connections';
import { listReconciliations } from '../../store/payments/reconciliation';

/** The ids of the payment connections of one product, or of all products. */
export const listConnectionIds = async ({ table }: App, productId: number | null): Promise<number[]> =>
  productId === null
    ? (await listReconciliations(table)).map(({ connection_id }) => connection_id)
    : connections.listConnectionIds(table, productId);
