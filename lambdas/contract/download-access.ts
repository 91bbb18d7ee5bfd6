/** The groups of people who may download the files of a product's releases. */
export const downloadAccess = ['licensed', 'public'] as const;
export type DownloadAccess = (typeof downloadAccess)[number];
