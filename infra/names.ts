/** `revokeLicense` and `revoke-license` → `RevokeLicense`: the id of a construct. */
export const pascalCase = (name: string): string => name.replace(/(^|-)(\w)/g, (_match, _hyphen, letter: string) => letter.toUpperCase());
