import { longRun, print } from '../../model/runs';
import { random } from '../../support/any-order';
import './order.test';

/** Runs the tests of order.test.ts, and delivers the notifications of each history in many random orders as well. */

const { count, seed } = longRun(300);
print(`Orders of notifications: LKS_SEED=${seed}`);
Object.assign(random, { orders: count, seed });
