import { browserPath } from './browser';
import startStack from './global-setup';

/** Unpacks the browser before the workers start, because otherwise all workers would unpack it at the same time. Starts the local run. */
export default async function browserSetup(): Promise<void> {
  await browserPath();
  await startStack();
}
