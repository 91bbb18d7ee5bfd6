/** What checks a file to import: loaded when an operator imports one, because it includes the service's schemas. */
export { ImportCheck, REPORT_COLUMNS } from '../../lambdas/domain/import/check';
