/** Replaces Node's module `url` in the admin page, which uses it only to check the addresses in a file of licenses. */

/** The domain in ASCII; empty if it is not valid. Browsers convert the host of a URL like Node converts a domain. */
export const domainToASCII = (domain: string): string => URL.parse(`http://${domain}`)?.hostname ?? '';
