export { activate } from './activate';
export { deactivate } from './deactivate';
export { listDevices } from './list-devices';
export { startTrial } from './start-trial';
export { validate } from './validate';
