/** `revokeLicense` and `revoke-license` → `RevokeLicense`: the id of a construct. */
export const pascalCase = (name: string): string => name.replace(/(^|-)(\w)/g, (_match, _hyphen, letter: string) => letter.toUpperCase());

/** The stack of a stage, and with a suffix whatever else of it has a name. */
export const stackName = (stage: string): string => `license-key-service-${stage}`;

/** An alarm of a stage, by the name of its entry in the runbook. */
export const alarmName = (stage: string, entry: string): string => `${stackName(stage)}-${entry}`;

/**
 * The name of a function that something else has to know before the function exists. AWS allows 64 characters, and a stage has up to 24.
 */
export const functionName = (stage: string, name: string): string => `lks-${stage}-${name}`;
