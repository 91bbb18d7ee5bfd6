/** The actions that a vendor can allow buyers to take in the portal of a product. */
export const portalActions = ['free_devices', 'reissue', 'change_email', 'offline', 'downloads', 'sign_in', 'members'] as const;
export type PortalAction = (typeof portalActions)[number];

/**
 * Whether the endpoints of an action do not seem to exist (404) unless the vendor allows the action. The other endpoints respond with 403.
 */
export const isHidden = (action: PortalAction | undefined): boolean => action === 'sign_in';
