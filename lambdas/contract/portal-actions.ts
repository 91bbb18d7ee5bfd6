/** What a vendor may allow buyers to do in the portal of a product. */
export const portalActions = ['free_devices', 'reissue', 'change_email', 'offline', 'downloads'] as const;
export type PortalAction = (typeof portalActions)[number];
