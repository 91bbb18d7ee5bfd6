import { version } from '../../package.json';

export const SERVICE = 'license-key-service';
export const VERSION = version;
