import { siteValues } from '../../infra/site-values';

/** Gives the modules of the admin page the values that its build inserts. */
Object.assign(globalThis, siteValues);
