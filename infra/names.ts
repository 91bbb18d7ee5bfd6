/** `revokeLicense` and `revoke-license` → `RevokeLicense`: the id of a construct. */
export const pascalCase = (name: string): string => name.replace(/(^|-)(\w)/g, (_match, _hyphen, letter: string) => letter.toUpperCase());

/** The name of a stage's stack, and the prefix of its other names. */
export const stackName = (stage: string): string => `license-key-service-${stage}`;

/** The name of a stage's alarm; `entry` is its heading in the runbook. */
export const alarmName = (stage: string, entry: string): string => `${stackName(stage)}-${entry}`;

/**
 * The fixed name of a function that another resource must refer to before it exists. AWS allows 64 characters, and a stage's name has up to
 * 24.
 */
export const functionName = (stage: string, name: string): string => `lks-${stage}-${name}`;
