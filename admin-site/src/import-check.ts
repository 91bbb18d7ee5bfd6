/** What checks a file to import: loaded when an operator imports one, because it brings the schemas of the service along. */
export { ImportCheck, REPORT_COLUMNS } from '../../lambdas/domain/import/check';
