/** Converts `revokeLicense` or `revoke-license` to `RevokeLicense`, for the id of a construct. */
export const pascalCase = (name: string): string => name.replace(/(^|-)(\w)/g, (_match, _hyphen, letter: string) => letter.toUpperCase());

/** The name of a stage's stack, which is also the prefix of the stage's other names. */
export const stackName = (stage: string): string => `license-key-service-${stage}`;

/** The name of a stage's alarm. `entry` is the alarm's heading in the runbook. */
export const alarmName = (stage: string, entry: string): string => `${stackName(stage)}-${entry}`;

/** The name of the configuration set with which a stage sends its mails through Amazon SES. */
export const configurationSetName = stackName;

/**
 * The fixed name of a function, for resources that must refer to the function before it exists. AWS allows 64 characters, and the name of a
 * stage has up to 24.
 */
export const functionName = (stage: string, name: string): string => `lks-${stage}-${name}`;
