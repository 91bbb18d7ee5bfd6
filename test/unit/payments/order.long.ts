import { longRun, print } from '../../model/runs';
import { random } from '../../support/any-order';
import './order.test';

/** The histories of order.test.ts, each in many random orders as well. */

const { count, seed } = longRun(300);
print(`Orders of notifications: LKS_SEED=${seed}`);
Object.assign(random, { orders: count, seed });
