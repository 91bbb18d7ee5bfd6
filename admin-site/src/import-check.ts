/** Checks a file to import. This code includes the service's schemas, so it is loaded only when an operator imports a file. */
export { ImportCheck, REPORT_COLUMNS } from '../../lambdas/domain/import/check';
