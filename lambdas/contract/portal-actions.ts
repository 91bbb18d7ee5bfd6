/** The actions that a vendor can allow buyers to take in the portal of a product. */
export const portalActions = ['free_devices', 'reissue', 'change_email', 'offline', 'downloads'] as const;
export type PortalAction = (typeof portalActions)[number];
