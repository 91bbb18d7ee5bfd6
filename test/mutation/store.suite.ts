import { useInProcessApi } from './in-process-api';
import { suite } from './suite';

useInProcessApi();
// The domain's part in deliveries, for itself.
suite('test/unit/domain', (name) => ['delivery', 'tally', 'webhook-signature'].includes(name));
// The rest needs the whole stack, or is about something else.
suite('test/store', (name) => name !== 'secrets');
suite('test/api', (name) => ['activation', 'idempotency', 'licenses', 'products'].includes(name));
suite('test/events', (name) => ['delivery', 'overview', 'sweeper'].includes(name));
