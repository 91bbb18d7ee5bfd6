/** The actions that a vendor may allow to buyers in the portal of a product. */
export const portalActions = ['free_devices', 'reissue', 'change_email', 'offline', 'downloads'] as const;
export type PortalAction = (typeof portalActions)[number];
