import * as activations from './activations';
import type { Endpoint } from './endpoint';
import * as licenseTypes from './license-types';
import * as licenses from './licenses';
import * as products from './products';
import * as service from './service';

/** The contract table: every endpoint of the service, in the order of its documentation. */
export const endpoints: readonly Endpoint[] = [service, products, licenseTypes, licenses, activations].flatMap((rows) =>
  Object.values<Endpoint>(rows),
);
