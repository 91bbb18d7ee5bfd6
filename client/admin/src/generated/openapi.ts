/* Generated from the OpenAPI document by `npm run generate --workspace client/admin`. Do not edit. */

export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get information about the service
         * @description Returns the name and version of the service, with links to its documentation, admin page and liveness probe. The links begin with the address to which the request was sent.
         */
        get: operations["getService"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check whether the service is alive
         * @description Responds with `ok` while the service is alive. This liveness probe reads no data.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get this API as an OpenAPI 3.1 document
         * @description Returns the OpenAPI document that the interactive documentation shows. The document is generated from the same table that defines the endpoints.
         */
        get: operations["getOpenapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List products
         * @description Returns all products in ascending id order. If there are more products, a `Link` header with `rel="next"` has the URL of the next page.
         */
        get: operations["listProducts"];
        put?: never;
        /**
         * Create a product
         * @description Creates a product with an API key for client apps and an Ed25519 key pair for offline tokens. The name and the slug must be unique.
         */
        post: operations["createProduct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a product
         * @description Returns the product with its API key and public key. Only tokens that may see secrets get the API key.
         */
        get: operations["getProduct"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a product
         * @description Changes only the fields in the body. The slug cannot be changed, because tokens and events contain it.
         */
        patch: operations["updateProduct"];
        trace?: never;
    };
    "/v1/products/{id}/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the product's public keys as a JWK set
         * @description Returns the public keys with which a JOSE library verifies offline tokens (RFC 7517, RFC 8037).
         */
        get: operations["getJwks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/api-key/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the product's API key
         * @description Gives the product a new API key. The previous key remains valid during the overlap, so that apps in use can be updated. At most two keys are valid at a time.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/signing-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the product's signing keys
         * @description Returns the keys of the JWK set, the current key first.
         */
        get: operations["listSigningKeys"];
        put?: never;
        /**
         * Create the next signing key
         * @description Publishes a new key in the JWK set. The key signs nothing until it is activated. Wait 5 minutes before you activate the key, so that clients can read the new JWK set first.
         */
        post: operations["createSigningKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/signing-keys/{kid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a signing key
         * @description Removes a key with the status `next` or `previous` from the JWK set. Clients that read the JWK set then refuse the tokens that this key signed. The current key cannot be deleted (422).
         */
        delete: operations["deleteSigningKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/signing-keys/{kid}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activate the next signing key
         * @description The next key becomes the current key, which signs all tokens. Within 60 s, every function of the service signs with the new current key. The replaced key becomes a previous key. Tokens that a previous key signed remain valid. Activating the current key changes nothing.
         */
        post: operations["activateSigningKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/webhook/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the product's webhook secret
         * @description Gives the product a new webhook secret. During the overlap, `webhook-signature` contains two signatures: first with the new secret, then with the previous secret. `X-Svc-Signature` uses only the new secret.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the numbers of all products together
         * @description Returns the numbers of licenses by status and the activity of the last `days` days. With `date`, the response also has the activity of that day by product. Days are UTC. Without `date` and `include`, reading takes the same time for any number of licenses and products. The service counts a change after the first attempt to deliver the event that reports the change, usually within seconds. It counts the result of a delivery when the delivery ends. An event that is not posted is counted within two minutes. Numbers are 0 for days before the service began to count them. The numbers of downloads, and of licenses that expire soon, are only in the overview of each product. A token that is bound to a product gets only the numbers of that product.
         */
        get: operations["getDeploymentOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the numbers of a product
         * @description Returns the numbers of licenses by type and status, the activity of the last `days` days, and the numbers of licenses that expire within the next `days` days. Days are UTC. Most numbers come from stored counters, so the response takes the same time for any number of licenses. Recent events that the stored counters do not include yet are added, if they are among the latest 200 events. Lapsed and expiring licenses have no stored counters: each request counts them, up to a limit. `issued` and `renewed` are 0 for days before the service began to count these numbers.
         */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/license-types/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a license type
         * @description Returns the license type with this id.
         */
        get: operations["getLicenseType"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a license type
         * @description Changes only the fields in the body. The changed terms apply to licenses that are issued from now on. Existing licenses keep the terms under which they were sold. The kind cannot be changed. An archived type issues no new licenses. An empty body or an unknown field is refused, because otherwise a typing error would look like a successful change.
         */
        patch: operations["updateLicenseType"];
        trace?: never;
    };
    "/v1/products/{id}/license-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List license types
         * @description Returns the license types of the product in ascending id order, in pages.
         */
        get: operations["listLicenseTypes"];
        put?: never;
        /**
         * Create a license type
         * @description Creates a license type. `duration_days` is required for the kinds `subscription` and `trial`, and refused for other kinds. The name must be unique within the product.
         */
        post: operations["createLicenseType"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/licenses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search for licenses in all products
         * @description Returns the matching licenses of all products, each with its current activations. The request must have exactly one of these parameters: `customer_email`, `key`, `order`, `fingerprint` or `q`. The parameter `q` finds licenses whose key, buyer's e-mail address, order id or buyer's name begins with the given text. With `q`, the response has at most 50 licenses, the newest first. With the other parameters, the oldest license comes first.
         */
        get: operations["searchLicenses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/licenses/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a license
         * @description Returns the license with its current activations.
         */
        get: operations["getLicense"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a license
         * @description Changes only the fields in the body. A later expiry, or null as the expiry, makes an expired license active again. With `license_type_id`, the license moves to another type of its product, and the terms of that type apply from now on. The expiry and the end of updates stay the same unless the body contains them. For a revoked license, only `customer_email`, `language` and `metadata` can be changed. An empty body or an unknown field is refused, because otherwise a typing error would look like a successful change.
         */
        patch: operations["updateLicense"];
        trace?: never;
    };
    "/v1/licenses/{id}/activations/{fingerprint}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Free the seat of one device
         * @description Frees the seat of the device with this fingerprint, in every status of the license. The fingerprint in the path is percent-encoded. The response is 422 if the fingerprint has a wrong format.
         */
        delete: operations["deleteActivation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/licenses/{id}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the notes of a license
         * @description Returns the notes of the license, newest first.
         */
        get: operations["listNotes"];
        put?: never;
        /**
         * Write a note on a license
         * @description Writes a note that only operators see. A note does not change the license, does not raise its `sequence`, and sends no event. Apps and buyers never see the note, but the export of a buyer’s data includes it.
         */
        post: operations["createNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/licenses/{id}/notes/{note}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a note
         * @description Removes the note permanently. The response is 404 if the note does not exist.
         */
        delete: operations["deleteNote"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/licenses/{id}/offline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an offline token
         * @description Creates an offline token for a device without a network. The token is valid for `ttl_days` (default 30), but never longer than the license. With `fingerprint`, the device with this fingerprint is activated: it takes a seat, `license.activated` is sent, and the token is bound to the device. Without `fingerprint`, the token is bound to no device.
         */
        post: operations["mintOfflineToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/licenses/{id}/refusals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the refused requests for a license
         * @description Returns the latest requests of apps that were refused for the license, newest first. There are at most 20 rows, which are kept for 30 days. One row counts the requests of one device that are refused for the same reason within an hour.
         */
        get: operations["listLicenseRefusals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/licenses/{id}/reinstate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the suspension of a license
         * @description A suspended license becomes active again. If its expiry has passed in the meantime, the next activation, validation or request for the device list changes the status to `expired`. If the license is not suspended, the request changes nothing.
         */
        post: operations["reinstateLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/licenses/{id}/reissue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a license a new key
         * @description Replaces a key that has leaked. The license keeps its id, history and terms, and every seat is freed. From now on the previous key is refused like the key of a revoked license.
         */
        post: operations["reissueLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/licenses/{id}/renew": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew a license
         * @description Moves the expiry to a later time. `expires_at` is the new expiry. `days` is a number of days that is added to the current expiry or to the current time, whichever is later. Without these fields, the `duration_days` of the license type are added in the same way. An expired license becomes active again. The expiry cannot be moved to an earlier time.
         */
        post: operations["renewLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/licenses/{id}/renew-updates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew the updates of a license
         * @description Moves the end of updates to a later time. `until` is the new end of updates. `days` is a number of days that is added to the current end of updates or to the current time, whichever is later. Without these fields, the `updates_days` of the license type are added in the same way. The status and the expiry do not change. The end of updates cannot be moved to an earlier time.
         */
        post: operations["renewUpdates"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/licenses/{id}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Free every seat of a license
         * @description Frees the seats of all devices. The seats can be taken again immediately. The status does not change. The limit `new_devices_per_week` still counts the devices that were activated before the reset, unless the body has `new_devices: true`.
         */
        post: operations["resetLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/licenses/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a license
         * @description Revokes the license permanently, for example after a refund. Later activations and validations are refused. An offline token that was issued earlier remains valid until it expires, or until the client app validates the license again. A repeated request changes nothing.
         */
        post: operations["revokeLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/licenses/{id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend a license
         * @description Suspends an active or expired license: activations and validations are refused until the license is reinstated. The seats of a suspended license can still be freed. A suspended license can still be renewed, revoked and reissued. A repeated request changes nothing.
         */
        post: operations["suspendLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/licenses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List licenses
         * @description Returns the licenses of the product, each with its current activations, in ascending id order unless `direction` is `desc`. Several filters can be combined. A page of a filtered list may have few rows or none although there are more pages. Request the next page until a response has no `Link` header. Filters by key, order, buyer or expiry use an index. Filters by status or type read the index of all licenses of the product. For other filters, the service reads the licenses one after another, at most 10,000 for one page. The status in the response is the stored status: after its expiry, an active license keeps the status `active` until an activation, a validation or a request for the device list checks the license.
         */
        get: operations["listLicenses"];
        put?: never;
        /**
         * Issue a license
         * @description Issues a license with a new key, or with the `key` in the body. The license expires at `expires_at` if the body has this field, otherwise after the `duration_days` of its type. If the body has no `expires_at` and the type has no `duration_days`, the license never expires.
         */
        post: operations["createLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/refusals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List requests refused because of an unknown license key
         * @description Returns the latest requests in which an app sent a key that no license of the product has, newest first. There are at most 200 rows, which are kept for 30 days. Refused requests with a known key are in the list of the license.
         */
        get: operations["listProductRefusals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activate a license on a device
         * @description Binds the device with this fingerprint to the license and returns an offline token for the device. A new device takes a seat. A device that is already bound takes no further seat. If the name or platform in the body differs from the stored value, the new value is stored.
         */
        post: operations["activate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Free a device's seat
         * @description Frees the seat of a device. The body identifies the device by `fingerprint`, or by `device`: its `ref` in the list of devices. `freed` says whether this request freed a seat. A repeated request changes nothing. The request works in every status of the license.
         */
        post: operations["deactivate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List the devices of a license
         * @description Returns the devices that are bound to the license, newest first. With this list, an app can let its user replace an old device with a new device. If `list_devices` of the product is false, the response is 404. The default is false, because device names are personal data.
         */
        post: operations["listDevices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/trial": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a trial without a key
         * @description Issues a license of the product's license type with `self_service`, and activates the license on the device (201). A device can start only one trial of each product. While the license is active, a repeated request returns the same license (200). If the device's seat was freed in the meantime, the device takes a seat again. The response is 404 if the product offers no trial. The response is 429 if 5 trials of the product were already started with the same `customer_email` within 24 hours.
         */
        post: operations["startTrial"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check a license
         * @description Returns whether the license is valid now. The response contains `device` and a new `offline_token` only if the device with this fingerprint is bound to the license. The response to an unknown key is `{"valid": false, "status": "invalid"}`.
         */
        get: operations["validate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/downloads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get who may download
         * @description Returns who may download the files of the product's releases.
         */
        get: operations["getDownloads"];
        put?: never;
        /**
         * Set who may download
         * @description Sets who may download the files of the product's releases. With `public`, releases that require features are offered to nobody. The change takes effect within 60 s.
         */
        post: operations["setDownloads"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/releases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a product's releases
         * @description Returns the releases of the product, the newest version first, in the order of Semantic Versioning. A page of a filtered list may have few rows or none although there are more pages. Request the next page until a response has no `Link` header.
         */
        get: operations["listReleases"];
        put?: never;
        /**
         * Create a release
         * @description Creates a draft of a release. A draft is offered to nobody until it is published. The version must be unique within the product. Versions that differ only in their build metadata count as the same version. A product has at most 2,000 releases.
         */
        post: operations["createRelease"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/releases/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a release
         * @description Returns the release with its files.
         */
        get: operations["getRelease"];
        put?: never;
        post?: never;
        /**
         * Delete a draft
         * @description Deletes a draft with its files. A published release cannot be deleted, but it can be yanked.
         */
        delete: operations["deleteRelease"];
        options?: never;
        head?: never;
        /**
         * Change a release
         * @description Changes only the fields in the body. `notes` and `features` can be changed at any time. `channel`, `released_at` and `build` can be changed only in a draft. For a release that was published, the response to such a change is 409 `published`. An empty body or an unknown field is refused.
         */
        patch: operations["updateRelease"];
        trace?: never;
    };
    "/v1/releases/{id}/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a file to a draft
         * @description Declares a file and returns the URL for its upload. Start the upload within 60 minutes: send the file to `upload.url`, with the method `upload.method`, the headers `upload.headers` and the length of the file in `Content-Length`. An upload that differs from the declaration is refused. The name of the file must be unique within the release. A release has at most 50 files. Hashes are written in lowercase hex.
         */
        post: operations["createArtifact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/releases/{id}/artifacts/{filename}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a file from a draft
         * @description Deletes the file from the draft. The name of the file can then be used again.
         */
        delete: operations["deleteArtifact"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/releases/{id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish a release
         * @description Publishes the release, which is then offered to the licenses that cover it. The response is 422 if the release has no file, or if a file was not uploaded with the declared size and hash. Nothing is published in this case. A repeated request changes nothing.
         */
        post: operations["publishRelease"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/releases/{id}/unyank": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Offer a yanked release again
         * @description Reverses a yank, so that the release is offered again. If the release is not yanked, the request changes nothing. The response for a draft is 409 `not_published`.
         */
        post: operations["unyankRelease"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/releases/{id}/yank": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Yank a release
         * @description Withdraws the release: it is no longer offered and cannot be downloaded. Existing download links stop working within 5 minutes. A repeated request changes nothing. The response for a draft is 409 `not_published`.
         */
        post: operations["yankRelease"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/feeds/{slug}/electron/{channel}/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a feed for electron-updater
         * @description Returns a feed for the provider `generic` of electron-updater. The files are `latest.yml` (Windows), `latest-mac.yml`, `latest-linux.yml` and `latest-linux-arm64.yml`. The channel's name can replace `latest` in the name of the file. The request needs a license key in `X-License-Key` or an offline token in `X-License-Token`, unless the product's downloads are public. If the license is revoked, suspended or expired, the response is 403 with the error code for the status of the license, such as `license_revoked`. With `downloads_when_expired`, an expired license may still download the releases whose `released_at` is before its expiry. The response is 404 if no release is offered.
         */
        get: operations["getElectronFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/feeds/{slug}/files/{version}/{filename}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file of a feed
         * @description Redirects to the URL of the file. This URL is valid for 5 minutes and supports range requests. The request needs a license key in `X-License-Key` or an offline token in `X-License-Token`, unless the product's downloads are public. If the license is revoked, suspended or expired, the response is 403 with the error code for the status of the license, such as `license_revoked`. With `downloads_when_expired`, an expired license may still download the releases whose `released_at` is before its expiry. The response is 404 for every file that the license may not download.
         */
        get: operations["downloadFeedFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/feeds/{slug}/sparkle/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an appcast for Sparkle
         * @description Returns the appcast of a channel, such as `stable.xml` or `beta.xml`. The appcast has one item for each platform for which a release is offered. The request needs a license key in `X-License-Key` or an offline token in `X-License-Token`, unless the product's downloads are public. If the license is revoked, suspended or expired, the response is 403 with the error code for the status of the license, such as `license_revoked`. With `downloads_when_expired`, an expired license may still download the releases whose `released_at` is before its expiry.
         */
        get: operations["getSparkleFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/feeds/{slug}/tauri/{channel}/{target}/{arch}/{current_version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a feed for Tauri's updater
         * @description Responds like a dynamic update server of Tauri. The response is 204 if no release newer than `current_version` is offered. Only files with a signature are offered. The request needs a license key in `X-License-Key` or an offline token in `X-License-Token`, unless the product's downloads are public. If the license is revoked, suspended or expired, the response is 403 with the error code for the status of the license, such as `license_revoked`. With `downloads_when_expired`, an expired license may still download the releases whose `released_at` is before its expiry.
         */
        get: operations["getTauriFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/releases/latest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the newest release that a license covers
         * @description Returns the newest release that the license covers. The request needs a license key in `X-License-Key` or an offline token in `X-License-Token`, unless the product's downloads are public. If the license is revoked, suspended or expired, the response is 403 with the error code for the status of the license, such as `license_revoked`. With `downloads_when_expired`, an expired license may still download the releases whose `released_at` is before its expiry. A request with a license key also needs `X-API-Key`. Releases of more stable channels are included: `alpha` includes `beta` and `stable`, and every other channel includes `stable`. A file for the platform `any`, or for the architecture `any` or `universal`, fits every device.
         */
        get: operations["getLatestRelease"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/releases/{version}/artifacts/{filename}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file
         * @description Redirects to the URL of the file. This URL is valid for 5 minutes and supports range requests. The request needs a license key in `X-License-Key` or an offline token in `X-License-Token`, unless the product's downloads are public. If the license is revoked, suspended or expired, the response is 403 with the error code for the status of the license, such as `license_revoked`. With `downloads_when_expired`, an expired license may still download the releases whose `released_at` is before its expiry. The response is 404 for every file that the license may not download.
         */
        get: operations["downloadArtifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/{event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery
         * @description Returns the event with its payload and its attempts.
         */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/{event_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event again
         * @description Starts a new round of attempts to deliver the event, with the same id and the same body. While the event is pending, the request changes nothing. Sending a delivered mail again counts towards the limit of *Mail a license key*. If this limit is reached, the response is 429.
         */
        post: operations["redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/licenses/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a license's events
         * @description Returns the events of the license in the last 30 days with their deliveries, newest first and in pages.
         */
        get: operations["listLicenseEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the product's deliveries
         * @description Returns the events of the last 30 days with their deliveries, newest first. A page of a filtered list may have few rows or none although there are more pages. Request the next page until a response has no `Link` header.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/deliveries/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send many events again
         * @description Starts a new round of delivery attempts for every event of the product that has the given `status` and was created at or after `since` and before `until`, oldest first. The ids and bodies stay the same. One request sends at most 10,000 events; repeat the request to send more. The response has the number of events, and the deliveries continue in the background.
         */
        post: operations["redeliverMany"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the product's webhook
         * @description Returns the URL of the webhook, which is empty if no URL is set. Tokens that may see secrets also get the secret that signs deliveries.
         */
        get: operations["getWebhook"];
        put?: never;
        /**
         * Set or clear the product's webhook
         * @description Sets the URL to which events are posted. The next attempts of pending events use the new URL too. The empty string removes the URL. An event is logged as `skipped` if no URL is set, or if the event is not in `events`. The secret stays the same.
         */
        post: operations["setWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/webhook/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Sends `webhook.test` to the product's webhook, signed and retried like every event. The response is 422 if no URL is set.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-connections/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a payment connection
         * @description Returns the payment connection with this id.
         */
        get: operations["getPaymentConnection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a payment connection
         * @description Changes only the fields in the body. The processor of a connection cannot be changed. An empty body or an unknown field is refused.
         */
        patch: operations["updatePaymentConnection"];
        trace?: never;
    };
    "/v1/payment-connections/{id}/reconcile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look for missed notifications
         * @description Reads events from the processor's API and processes them like notifications. Reading starts at `since`, or by default one day before the last reconciliation. The reconciliation runs in the background. The service also starts it automatically every hour. The connection needs an `api_key`.
         */
        post: operations["reconcilePayments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{payment}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a row of the payments log
         * @description Returns one notification with its effect.
         */
        get: operations["getPayment"];
        put?: never;
        /**
         * Receive a notification from a payment processor
         * @description Payment processors send notifications to this endpoint, at the `url` of a connection. The credential is the URL together with the processor's signature of the body. The service responds after all changes are committed. After a fault the response is 503 and nothing is committed, so that the processor sends the notification again.
         */
        post: operations["receivePayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{payment}/process": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Process a held or waiting notification again
         * @description Processes the notification again, for example after you have added a plan or unarchived a license type. The request changes only notifications that are held or waiting.
         */
        post: operations["processPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/payment-connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payment connections
         * @description Returns the payment connections of the product in ascending id order.
         */
        get: operations["listPaymentConnections"];
        put?: never;
        /**
         * Connect a payment processor
         * @description Creates a connection between the product and one account at a payment processor. Enter the `url` of the connection at the processor. A product has at most 20 connections. Connections can be disabled, but not deleted.
         */
        post: operations["createPaymentConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the payments log
         * @description Returns the notifications of the processors and their effects, newest first. Rows are kept for 90 days. With `Accept: text/csv`, the response is a CSV file for an accountant.
         */
        get: operations["listPayments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/payments/process": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Process all held notifications again
         * @description Processes all held notifications of the product again, at most 1,000 in one request. The response contains how many of them are still held. One request may not reach all of them: repeat the request to process the rest.
         */
        post: operations["processPayments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/purchase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the keys of a purchase for a thank-you page
         * @description Returns the licenses of an order until 24 hours after the licenses were issued. A license is shown only while it is active and still has the key that was issued for the order. The license is not shown after a reissue, a refund or a suspension. If no license can be shown, the status is `pending`. `order` must be an id that nobody can guess, because anyone with the id gets the keys. For any other id of the order, such as a plain number, the status is `pending`.
         */
        get: operations["getPurchase"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/licenses/{id}/mail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail a license key
         * @description Mails the license's key to its `customer_email`, even if the product does not mail keys automatically. The response is 422 if mail is not configured, or if the license has no address. Within an hour, operators can request at most 5 such mails for one license, and at most 3 to one address in one product. The response to further requests is 429. These limits do not apply to automatic mails, which are not counted.
         */
        post: operations["mailLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mail/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check whether mail is configured
         * @description Returns whether mail is configured, that is, whether a from-address and a transport (Amazon SES or an SMTP server) are set. The response contains no password.
         */
        get: operations["getMailStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mail/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test mail
         * @description Sends a real mail through the configured transport and returns the result. The response is 422 if mail is not configured, and 502 with the reason if sending fails.
         */
        post: operations["sendTestMail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/mail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the product's mail settings
         * @description Returns whether keys are mailed automatically, the text of the mail with the keys, and the reminders.
         */
        get: operations["getMailSettings"];
        put?: never;
        /**
         * Change the product's mail settings
         * @description Changes only the fields in the body. `reminders` replaces all previous reminders. Null sets a field to its default. If a text has an unknown placeholder, the response is 422. A new reminder sends no mail that was due before the reminder was added.
         */
        post: operations["setMailSettings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/mail/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a mail
         * @description Returns the mail with a key, or a reminder, as the buyer would see it. The mail contains the data of a license, or example data. The request sends no mail and changes nothing. A text in the body replaces the saved text, so that operators can try a text before they save it.
         */
        post: operations["previewMail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/unsubscribe/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the page that ends reminders
         * @description Shows a page with a button that ends reminders. The header `List-Unsubscribe` of every reminder contains the URL of this page. Opening the page changes nothing, because programs that check the links in mails also open the page.
         */
        get: operations["showUnsubscribe"];
        put?: never;
        /**
         * End the reminders of a product for an address
         * @description Ends all reminders of the product for the e-mail address that the token belongs to. Mail programs send this request for one-click unsubscribing (RFC 8058), and the button of the page sends it too. The body is ignored. Mails with keys and codes are still sent.
         */
        post: operations["unsubscribeFromReminders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List admin tokens
         * @description Returns the tokens that were not revoked, including expired tokens, in ascending id order and in pages.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create an admin token
         * @description Creates an admin token. Only this response contains the token itself. A token with a `product_id` can see and change only that product. Requests about resources of other products are refused with 404, and requests about the whole deployment with 403.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe the token of this request
         * @description Returns the scopes and the product of the admin token that the request was sent with. Every admin token may call this endpoint.
         */
        get: operations["getCurrentToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an admin token
         * @description Revokes the token. Within 60 s, every function of the service refuses the token.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/customers/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase a buyer's data
         * @description Erases the data about the buyer with this e-mail address. The licenses lose the address, their metadata, the names and platforms of their devices, their notes, and the records of refused requests. The bodies of events and mails, the stored responses of idempotent requests, and the data that payment processors reported about the buyer are removed too. The buyer’s sessions, codes and links of the portal become invalid. The address is also removed from trials that were started with it. The licenses and their keys stay valid, and notifications of payment processors do not add the address again. The body of a pending event is removed only after its delivery. One request does a limited amount of work. If any data is left, `complete` is false, and a repeated request continues the work. If the address was already removed from a license, the service erases the rest of this license’s data even without a repeated request, usually within minutes.
         */
        post: operations["eraseCustomer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/customers/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Export a buyer's data
         * @description Returns all data that is stored about the buyer with this e-mail address: the licenses with their devices, the notes on the licenses, the refused requests, the events and mails, and the rows of the payments log. For an unknown address the lists are empty. Trials with an unverified address are not included. A response may contain only a part of the data: if `next` is not null, send it as `cursor` to get the next part.
         */
        post: operations["exportCustomer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/portal/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe the portal of a product
         * @description Returns the title, the color and the allowed actions of the portal. The response is 404 unless the portal of the product is enabled.
         */
        get: operations["showPortal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/portal/{slug}/codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a sign-in code
         * @description Mails a sign-in code and a sign-in link to the e-mail address, if a license of the product has this address. The response is the same for every address and takes the same time, so that nobody can find out who is a customer. An address gets at most 3 such mails within 10 minutes; further requests send no mail. The language of the mail is German or English, according to `Accept-Language`.
         */
        post: operations["requestPortalCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/portal/{slug}/downloads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the buyer's downloads
         * @description Returns one release for each active license of the buyer: the newest release of the channel `stable` that the license covers and whose required features the license has. A license without such a release is left out. The pages match those of *List the buyer's licenses*: each page has the releases for the licenses on the same page of that list.
         */
        get: operations["listPortalDownloads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/portal/{slug}/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the e-mail address: request a code
         * @description Mails a code to the new e-mail address and a notice to the current e-mail address. The response is the same for every address.
         */
        post: operations["changePortalEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/portal/{slug}/email/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the e-mail address: enter the code
         * @description Replaces the e-mail address of all the buyer’s licenses of this product with the new address. The session of this request continues with the new address, and the buyer’s other sessions end. Only the session that requested the code can confirm the new address. The response to a wrong code is 401.
         */
        post: operations["confirmPortalEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/portal/{slug}/licenses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the buyer's licenses
         * @description Returns the buyer's licenses of the product, newest first, each with its devices. The session identifies the buyer. A page has at most 100 licenses.
         */
        get: operations["listPortalLicenses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/portal/{slug}/licenses/{id}/devices/{ref}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Free the seat of a device
         * @description Frees the seat of one of the buyer's devices. The request works in every status of the license. An unknown `ref` frees no device. The response is 429 `too_many_frees` if the buyer has already freed the maximum number of devices of this license within 30 days (`frees_per_30_days`).
         */
        delete: operations["freePortalDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/portal/{slug}/licenses/{id}/mail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail the key again
         * @description Mails the key of the license to the e-mail address of the signed-in buyer, at most 3 times within 24 hours for each license.
         */
        post: operations["mailPortalLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/portal/{slug}/licenses/{id}/offline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an offline token for a device without a network
         * @description Creates an offline token for a device without a network. The request contains the text that the app creates with `offlineRequest()`. The device is bound to the license as in an activation. The response contains the text for the app's `importToken()`.
         */
        post: operations["mintPortalToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/portal/{slug}/licenses/{id}/reissue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace a leaked key
         * @description Gives the license a new key and frees every seat. The previous key is refused from now on.
         */
        post: operations["reissuePortalLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/portal/{slug}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in
         * @description Starts a session of a buyer. The body contains the e-mail address and the code from the mail, or the `token` of a link. A code or a link works only once. After 5 wrong attempts for an e-mail address, the code of this address is invalid. All refusals have the same 401 response.
         */
        post: operations["createPortalSession"];
        /**
         * Sign out
         * @description Ends the session in the header `X-Portal-Session`. Without a valid session the request changes nothing.
         */
        delete: operations["endPortalSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/portal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the settings of the product's portal
         * @description Returns the settings of the portal, the page on which buyers see their licenses, free seats and recover keys.
         */
        get: operations["getPortal"];
        put?: never;
        /**
         * Change the settings of the product's portal
         * @description Changes only the fields in the body. If the portal is disabled, all its sessions, sign-in codes and links become invalid.
         */
        post: operations["setPortal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{id}/portal/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a sign-in link for a buyer
         * @description Creates a link with which the buyer can sign in to the portal once. The vendor can show the link on its own website after the buyer has signed in there, or can mail the link to the buyer. The response is 404 if no license of the product has this e-mail address, and 422 while the portal is disabled. A buyer has at most 20 valid links. If a further link is created, the oldest link becomes invalid.
         */
        post: operations["createPortalLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log
         * @description Returns the entries of the audit log, newest first. There is an entry for every change by an operator or a buyer, and for every change of a license by a payment processor. Refused requests, and repeated requests that change nothing, have no entry. Several filters can be combined. A page of a filtered list may have few rows or none although there are more pages. Request the next page until a response has no `Link` header. Entries are kept for 400 days.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Accepted: Record<string, never>;
        Activation: {
            status: components["schemas"]["LicenseStatus"];
            license: components["schemas"]["ClientLicense"];
            device: components["schemas"]["Device"];
            seats: components["schemas"]["Seats"];
            /** @description The names of the features that the buyer may use, sorted. */
            features: string[];
            updates: components["schemas"]["Updates"];
            /** @description An offline token that is bound to the device: a compact JWS (EdDSA). Apps verify the token with the product's public key, without a network. */
            offline_token: string;
        };
        AdminToken: {
            id: number;
            name: string;
            scopes: components["schemas"]["Scope"][];
            /** @description The id of the only product that the token can see and change; null: all products. */
            product_id: number | null;
            /** @description The time from which the token is refused; null: the token never expires. */
            expires_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description The last day (UTC) on which the token was used; null if it was never used. */
            last_used_on: string | null;
        };
        Artifact: {
            filename: string;
            /** @enum {string} */
            platform: "windows" | "macos" | "linux" | "any";
            /** @enum {string} */
            arch: "x64" | "arm64" | "ia32" | "universal" | "any";
            size: number;
            sha256: string;
            sha512: string;
            signature: string | null;
            content_type: string;
            block_map_size: number | null;
            /** @description True if the file was uploaded with the declared size and SHA-256. */
            uploaded: boolean;
        };
        AuditEntry: {
            /** @description The id of the entry, 32 hex digits. */
            id: string;
            /** Format: date-time */
            at: string;
            /** @description Who made the change: `deployment` for the deployment's own token, the id of another admin token, `buyer`, or `processor:` followed by the name of a payment processor. */
            actor: string;
            /** @description The name of the actor at the time of the change. */
            actor_name: string;
            /** @description The name of the operation, such as `revokeLicense`. */
            action: string;
            /** @description The id of the product; null if the change concerned no product or several products. */
            product_id: number | null;
            license_id: number | null;
            /** @description Present only with `include=licenses`: the current key of the license; null if the entry is not about a license. */
            license_key?: string | null;
            /** @description Present only with `include=licenses`: the current e-mail address of the license's buyer; null if there is no address. */
            customer_email?: string | null;
            /** @description The changed resource, such as `license/17`. If the entry is about a request of a buyer, or about the export or erasure of a buyer's data, this field contains the hash of the buyer's e-mail address. */
            target: string | null;
            /** @description A summary of the change, with the names of the changed fields. */
            summary: string;
            /** @description The old and new values of the changed fields of a license or license type, as text. Fields that are secret or about the buyer are left out. */
            changes: {
                field: string;
                before: string | null;
                after: string | null;
            }[];
            /** @description The `X-Request-Id` of the response; null if the change was not made by a request. */
            request_id: string | null;
            source_ip: string | null;
            user_agent: string | null;
        };
        BulkRedelivery: {
            /** @description The number of events that are sent again. */
            count: number;
        };
        ClientLicense: {
            id: number;
            /** @description The license key. */
            key: string;
            status: components["schemas"]["LicenseStatus"];
            /** @description The time from which the license is expired; null if the license never expires, or if its term starts with the first activation and has not started yet. */
            expires_at: string | null;
            license_type: {
                name: string;
                kind: components["schemas"]["LicenseKind"];
            };
        };
        CurrentToken: {
            /** @description `deployment` for the deployment's own token, otherwise the id of the token. Entries of the audit log have the same value. */
            actor: string;
            name: string;
            scopes: components["schemas"]["Scope"][];
            /** @description The id of the only product that the token can see and change; null: all products. */
            product_id: number | null;
        };
        CustomerErasure: {
            /** @description The number of licenses from which this request erased the address and metadata. */
            licenses: number;
            /** @description The number of events that are still pending. The body of a pending event is erased after its delivery. */
            pending_events: number;
            /** @description True: all data is erased. False: repeat the request to erase the rest. If events are pending, repeat the request after their deliveries. */
            complete: boolean;
        };
        CustomerExport: {
            customer_email: string;
            licenses: components["schemas"]["License"][];
            /** @description The notes of operators about the licenses. For each license, the newest note is first. */
            notes: {
                license_id: number;
                /** @description The id of the note, 24 hex digits. */
                id: string;
                text: string;
                /** Format: date-time */
                at: string;
                /** @description `deployment` for the deployment's own token, or the id of the admin token that wrote the note. */
                actor: string;
                actor_name: string;
            }[];
            /** @description Refused requests of apps about the licenses. */
            refusals: components["schemas"]["Refusal"][];
            /** @description The events of the licenses, as the delivery log shows them. For each license, the newest event is first. */
            events: components["schemas"]["Delivery"][];
            /** @description The rows of the payments log that are about the buyer. */
            payments: components["schemas"]["Payment"][];
            /** @description The number of stored rows that are missing from the response because they could not be read; absent if every row could be read. */
            unreadable?: number;
            /** @description The cursor of the next part; null: this is the last part. */
            next: string | null;
        };
        Deactivation: {
            /** @description True if this request freed a seat. */
            freed: boolean;
        };
        Deletion: {
            /** @constant */
            deleted: true;
        };
        Delivery: {
            /** @description The id of the event, 32 hex digits. The id is the same in every delivery attempt. */
            id: string;
            /** @enum {string} */
            event: "license.created" | "license.activated" | "license.deactivated" | "license.reset" | "license.revoked" | "license.expired" | "license.renewed" | "license.updated" | "license.suspended" | "license.reinstated" | "license.reissued" | "license.expiring" | "license.seats_exhausted" | "license.updates_renewed" | "license.updates_expiring" | "release.published" | "release.yanked" | "webhook.test" | "license.key_mailed" | "license.reminded" | "portal.code_mailed" | "portal.address_code_mailed" | "portal.address_notice_mailed" | "portal.key_mailed";
            /** @enum {string} */
            channel: "webhook" | "mail";
            product_id: number;
            /** @description The id of the license; null if the event is not about a license. */
            license_id: number | null;
            /** @description Who requested the change: the name of an admin token or payment connection, or `buyer`. Absent if an app or the service itself caused the change. */
            by?: string;
            /** @description The URL or e-mail address that the last attempt used. Before the first attempt: the URL or e-mail address that the first attempt will use. */
            url: string | null;
            /** @enum {string} */
            status: "pending" | "delivered" | "failed" | "skipped";
            attempts: number;
            last_error: string | null;
            last_status: number | null;
            /** Format: date-time */
            created_at: string;
            /** @description When the next attempt is due; null if there will be no further attempt. */
            next_attempt_at: string | null;
            delivered_at: string | null;
            /** @description The body that is sent; for a mail, the ids of the licenses that the mail is about. */
            payload: components["schemas"]["LoggedEvent"];
            /** @description The last 50 attempts, the oldest first. */
            history: components["schemas"]["DeliveryAttempt"][];
        };
        DeliveryAttempt: {
            /** @description The number of the attempt. It counts all attempts of the event, including those of redeliveries. */
            attempt: number;
            /** Format: date-time */
            at: string;
            /** @description The HTTP status of the response, or the reply code of the mail server; null if there was no response. */
            status: number | null;
            /** @description The reason why the attempt failed; null if the event was accepted. */
            error: string | null;
            duration_ms: number;
        };
        DeploymentOverview: {
            licenses: {
                /** @description Licenses with the status `active`. */
                active: number;
                /** @description Licenses with the status `suspended`. */
                suspended: number;
                /** @description Licenses with the status `expired`. */
                expired: number;
                /** @description Licenses with the status `revoked`. */
                revoked: number;
            };
            /** @description The numbers of each of the last days, from the oldest day to today. */
            days: {
                /** Format: date */
                date: string;
                /** @description Licenses that were issued, including imported licenses. */
                issued: number;
                /** @description Renewals, that is, changes that moved the expiry of a license to a later time. */
                renewed: number;
                /** @description Devices that took a seat. */
                activations: number;
                /** @description Events that the webhook accepted. */
                delivered: number;
                /** @description Events whose last attempt failed. */
                failed: number;
                /** @description Events that were not posted, because no webhook URL was set or the webhook excludes the event. */
                skipped: number;
            }[];
            /** @description Present only with `date`: the products with activity on that day. The products with the highest sum of `issued`, `renewed` and `failed` come first. The list has at most 10000 products. Numbers are kept for about 100 days. */
            products?: {
                product_id: number;
                /** @description Licenses that were issued, including imported licenses. */
                issued: number;
                /** @description Renewals, that is, changes that moved the expiry of a license to a later time. */
                renewed: number;
                /** @description Events whose last attempt failed. */
                failed: number;
            }[];
            /** @description Present only with `include=attention`: the products with failures or held sales. The products with the most held sales come first, then the products with the most failures. The list has at most 100 products. */
            attention?: {
                product_id: number;
                /** @description The name of the product; null if the product cannot be read. */
                name: string | null;
                /** @description Events of the last 30 days whose last attempt failed. */
                failed_deliveries: number;
                /** @description Mails of the last 30 days whose last attempt failed. */
                failed_mails: number;
                /** @description Orders with at least one row with the status `held` in the payments log. For all products together, the service reads at most 1000 such rows. */
                held_sales: number;
            }[];
        };
        Device: {
            /** @description The fingerprint of the device. A hex string is in lower case. */
            fingerprint: string;
            /** @description The platform that the client sent, for example the operating system; may be empty. */
            platform: string;
            /** @description A name by which people recognize the device; may be empty. */
            name: string;
            /**
             * Format: date-time
             * @description The time at which the device was bound to the license.
             */
            activated_at: string;
            /** @description The time until which the device is certain to keep its seat; null: the device keeps its seat until the seat is freed. */
            lease_expires_at: string | null;
            /** @description The UTC day of the last activation or validation of the device; null: not known. */
            last_seen_on: string | null;
        };
        Downloads: {
            /**
             * @description `licensed`: downloads need a license that covers the release. `public`: everybody may download without a credential.
             * @enum {string}
             */
            access: "licensed" | "public";
        };
        Error: {
            /** @description A sentence that explains the error to people. */
            detail: string;
        };
        Event: {
            /** @description The id of the event, 32 hex digits. The id is the same in every delivery attempt, so that receivers can discard duplicates. */
            id: string;
            /** @enum {string} */
            event: "license.created" | "license.activated" | "license.deactivated" | "license.reset" | "license.revoked" | "license.expired" | "license.renewed" | "license.updated" | "license.suspended" | "license.reinstated" | "license.reissued" | "license.expiring" | "license.seats_exhausted" | "license.updates_renewed" | "license.updates_expiring" | "release.published" | "release.yanked" | "webhook.test";
            /** @description When the event happened: the date and the time, separated by a space, with milliseconds and a UTC offset. */
            timestamp: string;
            data: {
                /** @description The slug of the product. */
                product: string;
                /** @description The license that the event is about. Absent in `webhook.test` and in the events of releases. */
                license?: components["schemas"]["EventLicense"];
                /** @description The release, present only in the events of releases. */
                release?: components["schemas"]["EventRelease"];
                /** @description The device that was bound or freed, present only in events about a single device. */
                device?: components["schemas"]["Device"];
                /** @description Why a device was freed: `lease_ended`, `replaced` (by another device) or `buyer` (in the portal). Absent if an app or an operator freed the device. */
                reason?: string;
                /** @description The previous key of the license, present only in `license.reissued`. */
                previous_key?: string;
            };
        };
        EventArtifact: {
            filename: string;
            /** @enum {string} */
            platform: "windows" | "macos" | "linux" | "any";
            /** @enum {string} */
            arch: "x64" | "arm64" | "ia32" | "universal" | "any";
            size: number;
            sha256: string;
            sha512: string;
            content_type: string;
            block_map_size: number | null;
            /** @description True if the file was uploaded with the declared size and SHA-256. */
            uploaded: boolean;
        };
        EventLicense: {
            id: number;
            /** @description The id of the product. */
            product_id: number;
            /** @description The license key. */
            key: string;
            status: components["schemas"]["LicenseStatus"];
            /** @description The time from which the license is expired; null if the license never expires, or if its term starts with the first activation and has not started yet. */
            expires_at: string | null;
            /** @description The term that will start with the first activation; null if the term has already started, or if the license has no such term. */
            term: {
                /** @constant */
                starts: "activation";
                days: number;
            } | null;
            updates: components["schemas"]["Updates"];
            license_type: {
                id: number;
                name: string;
                kind: components["schemas"]["LicenseKind"];
                /** @description Maximum number of devices at a time; 0 means unlimited. */
                max_seats: number;
                /** @description The number of days from the start of the term to the expiry; null for the kinds `lifetime` and `floating`. */
                duration_days: number | null;
                /** @description The names of the features that the buyer may use, sorted. */
                features: string[];
                /** @description Only for the kind `floating`: the number of minutes for which a device keeps its seat after an activation or validation; null: the device keeps the seat until the seat is freed. */
                lease_minutes: number | null;
                /** @description Maximum number of new devices that may take a seat of one license within 7 days; 0 means unlimited. */
                new_devices_per_week: number;
                /** @description The number of days with updates, from the start of the term; null: no limit by date. */
                updates_days: number | null;
                /** @description The newest major version that the license covers; null: no limit by version. */
                max_major: number | null;
                /**
                 * @description When the term of a license starts. `creation`: when the license is issued. `activation`: with its first activation, only for the kinds `subscription` and `trial`.
                 * @enum {string}
                 */
                starts: "creation" | "activation";
                /** @description Whether an expired license may still download the releases whose `released_at` is before its expiry. */
                downloads_when_expired: boolean;
            };
            seats: components["schemas"]["Seats"];
            /** @description The names of the features that the buyer may use, sorted. */
            features: string[];
            /** @description The buyer's e-mail address. Client apps never see it. */
            customer_email: string | null;
            /** @description The language of mails about the license; null: the language of the product. */
            language: ("en" | "de") | null;
            metadata: components["schemas"]["Metadata"];
            /**
             * Format: date-time
             * @description The time of creation.
             */
            created_at: string;
            /** @description The time at which the license was revoked; null if it is not revoked. */
            revoked_at: string | null;
            /** @description The reason for the revocation; null if no reason was given. */
            revoked_reason: string | null;
            /** @description The time at which the license was suspended; null if it is not suspended. */
            suspended_at: string | null;
            /** @description The reason for the suspension, from the operator or the processor; null if no reason was given. */
            suspended_reason: string | null;
            /** @description Who suspended the license: `operator`, or the name of a payment processor. */
            suspended_by: string | null;
            /** @description The cause of the suspension. The suspension ends if the payment processor reports that this cause has ended, or if an operator reinstates the license. */
            suspended_cause: ("operator" | "payment" | "pause" | "dispute") | null;
            /** @description The order at a payment processor for which the license was issued; null if there is no order. */
            order: components["schemas"]["LicenseOrder"] | null;
            /** @description The count of new devices for the limit `new_devices_per_week`. The count covers 7 days from `since`, which is the time at which the first of these devices took its seat. `since` is null if the count is 0. */
            new_devices: {
                count: number;
                since: string | null;
            };
            /** @description A number that rises by one with every change of the license. Receivers can sort the events of a license by this number. */
            sequence: number;
        };
        EventRelease: {
            id: number;
            /** @description The id of the product. */
            product_id: number;
            version: string;
            channel: string;
            /** @enum {string} */
            status: "draft" | "published" | "yanked";
            notes: string | null;
            /** @description The date that decides which licenses cover the release. In a draft, null means the time of publishing. */
            released_at: string | null;
            /** @description The features that a license must have to get the release, sorted. */
            features: string[];
            build: string | null;
            /**
             * Format: date-time
             * @description The time of creation.
             */
            created_at: string;
            published_at: string | null;
            /** @description The time at which the release was yanked (withdrawn from all users); null if it is not yanked. */
            yanked_at: string | null;
            yanked_reason: string | null;
            artifacts: components["schemas"]["EventArtifact"][];
        };
        Health: {
            /** @description `ok` while the service is alive. */
            status: string;
            service: string;
        };
        JwkSet: {
            keys: {
                /** @constant */
                kty: "OKP";
                /** @constant */
                crv: "Ed25519";
                /** @description The public key, 32 bytes in base64url. */
                x: string;
                /** @description The thumbprint of the key (RFC 7638). It is the `kid` of the tokens that the key signed. */
                kid: string;
                /** @constant */
                use: "sig";
                /** @constant */
                alg: "EdDSA";
            }[];
        };
        License: {
            id: number;
            /** @description The id of the product. */
            product_id: number;
            /** @description The license key. */
            key: string;
            status: components["schemas"]["LicenseStatus"];
            /** @description The time from which the license is expired; null if the license never expires, or if its term starts with the first activation and has not started yet. */
            expires_at: string | null;
            /** @description The term that will start with the first activation; null if the term has already started, or if the license has no such term. */
            term: {
                /** @constant */
                starts: "activation";
                days: number;
            } | null;
            updates: components["schemas"]["Updates"];
            license_type: {
                id: number;
                name: string;
                kind: components["schemas"]["LicenseKind"];
                /** @description Maximum number of devices at a time; 0 means unlimited. */
                max_seats: number;
                /** @description The number of days from the start of the term to the expiry; null for the kinds `lifetime` and `floating`. */
                duration_days: number | null;
                /** @description The names of the features that the buyer may use, sorted. */
                features: string[];
                /** @description Only for the kind `floating`: the number of minutes for which a device keeps its seat after an activation or validation; null: the device keeps the seat until the seat is freed. */
                lease_minutes: number | null;
                /** @description Maximum number of new devices that may take a seat of one license within 7 days; 0 means unlimited. */
                new_devices_per_week: number;
                /** @description The number of days with updates, from the start of the term; null: no limit by date. */
                updates_days: number | null;
                /** @description The newest major version that the license covers; null: no limit by version. */
                max_major: number | null;
                /**
                 * @description When the term of a license starts. `creation`: when the license is issued. `activation`: with its first activation, only for the kinds `subscription` and `trial`.
                 * @enum {string}
                 */
                starts: "creation" | "activation";
                /** @description Whether an expired license may still download the releases whose `released_at` is before its expiry. */
                downloads_when_expired: boolean;
            };
            seats: components["schemas"]["Seats"];
            /** @description The names of the features that the buyer may use, sorted. */
            features: string[];
            /** @description The buyer's e-mail address. Client apps never see it. */
            customer_email: string | null;
            /** @description The language of mails about the license; null: the language of the product. */
            language: ("en" | "de") | null;
            metadata: components["schemas"]["Metadata"];
            /**
             * Format: date-time
             * @description The time of creation.
             */
            created_at: string;
            /** @description The time at which the license was revoked; null if it is not revoked. */
            revoked_at: string | null;
            /** @description The reason for the revocation; null if no reason was given. */
            revoked_reason: string | null;
            /** @description The time at which the license was suspended; null if it is not suspended. */
            suspended_at: string | null;
            /** @description The reason for the suspension, from the operator or the processor; null if no reason was given. */
            suspended_reason: string | null;
            /** @description Who suspended the license: `operator`, or the name of a payment processor. */
            suspended_by: string | null;
            /** @description The cause of the suspension. The suspension ends if the payment processor reports that this cause has ended, or if an operator reinstates the license. */
            suspended_cause: ("operator" | "payment" | "pause" | "dispute") | null;
            /** @description The order at a payment processor for which the license was issued; null if there is no order. */
            order: components["schemas"]["LicenseOrder"] | null;
            /** @description The count of new devices for the limit `new_devices_per_week`. The count covers 7 days from `since`, which is the time at which the first of these devices took its seat. `since` is null if the count is 0. */
            new_devices: {
                count: number;
                since: string | null;
            };
            /** @description The devices that are bound now. */
            activations: components["schemas"]["Device"][];
        };
        LicenseDevice: {
            /** @description An opaque identifier of the device within its license. It is not the fingerprint. */
            ref: string;
            name: string;
            platform: string;
            /** Format: date-time */
            activated_at: string;
            last_seen_on: string | null;
            /** @description True if the request contains the fingerprint of this device. */
            this: boolean;
        };
        /**
         * @description The kind of a license. Licenses of the kinds `subscription` and `trial` expire. Licenses of other kinds never expire, unless they are given an expiry.
         * @enum {string}
         */
        LicenseKind: "lifetime" | "subscription" | "floating" | "trial";
        LicenseOrder: {
            /** @enum {string} */
            processor: "stripe" | "paddle" | "lemonsqueezy" | "polar" | "gumroad";
            connection_id: number;
            /** @description The id of the order, as the buyer sees it. */
            order_id: string;
            subscription_id: string | null;
            /** @description The processor's id of the product or price that was sold. */
            ref: string | null;
            line: string | null;
            /** @description True for a sale in the test mode of the processor. */
            test: boolean;
        };
        /**
         * @description The stored status of a license. A license whose expiry has passed keeps its stored status until its next activation, validation or request for the device list.
         * @enum {string}
         */
        LicenseStatus: "active" | "suspended" | "expired" | "revoked";
        LicenseType: {
            id: number;
            /** @description The id of the product. */
            product_id: number;
            name: string;
            kind: components["schemas"]["LicenseKind"];
            /** @description Maximum number of devices at a time; 0 means unlimited. */
            max_seats: number;
            /** @description The number of days from the start of the term to the expiry; null for the kinds `lifetime` and `floating`. */
            duration_days: number | null;
            /** @description The names of the features that the buyer may use, sorted. */
            features: string[];
            /** @description Only for the kind `floating`: the number of minutes for which a device keeps its seat after an activation or validation; null: the device keeps the seat until the seat is freed. */
            lease_minutes: number | null;
            /** @description Maximum number of new devices that may take a seat of one license within 7 days; 0 means unlimited. */
            new_devices_per_week: number;
            /** @description The number of days with updates, from the start of the term; null: no limit by date. */
            updates_days: number | null;
            /** @description The newest major version that the license covers; null: no limit by version. */
            max_major: number | null;
            /**
             * @description When the term of a license starts. `creation`: when the license is issued. `activation`: with its first activation, only for the kinds `subscription` and `trial`.
             * @enum {string}
             */
            starts: "creation" | "activation";
            /** @description Whether an expired license may still download the releases whose `released_at` is before its expiry. */
            downloads_when_expired: boolean;
            /** @description Whether client apps may start a trial of this type without a key. */
            self_service: boolean;
            /** @description Whether the type is archived. An archived type issues no new licenses. */
            archived: boolean;
            /**
             * Format: date-time
             * @description The time of creation.
             */
            created_at: string;
        };
        ListedProduct: {
            id: number;
            name: string;
            /** @description The short name of the product. It is the audience (`aud`) of offline tokens and the `product` in events. */
            slug: string;
            /** @description The API key of the product, which client apps send in `X-API-Key`. Absent for tokens without the scope `manage`. */
            api_key?: string;
            /** @description The Ed25519 public key that verifies offline tokens, as SubjectPublicKeyInfo PEM. */
            public_key: string;
            /** @description Whether apps may list the devices of a license. */
            list_devices: boolean;
            /**
             * Format: date-time
             * @description The time of creation.
             */
            created_at: string;
            /** @description The statistics of the product, present only with `include=numbers`. The service counts a change after the first attempt to deliver the event that reports the change, usually within seconds. It counts a failed delivery after the last attempt. An event that is not posted is counted within two minutes. */
            numbers?: components["schemas"]["ProductNumbers"];
            /** @description The licenses of the product that expire soon, present only with `include=expiring`. */
            expiring?: components["schemas"]["ProductExpiring"];
        };
        LoggedEvent: {
            /** @description The id of the event, 32 hex digits. The id is the same in every delivery attempt, so that receivers can discard duplicates. */
            id: string;
            /** @enum {string} */
            event: "license.created" | "license.activated" | "license.deactivated" | "license.reset" | "license.revoked" | "license.expired" | "license.renewed" | "license.updated" | "license.suspended" | "license.reinstated" | "license.reissued" | "license.expiring" | "license.seats_exhausted" | "license.updates_renewed" | "license.updates_expiring" | "release.published" | "release.yanked" | "webhook.test" | "license.key_mailed" | "license.reminded" | "portal.code_mailed" | "portal.address_code_mailed" | "portal.address_notice_mailed" | "portal.key_mailed";
            /** @description When the event happened: the date and the time, separated by a space, with milliseconds and a UTC offset. */
            timestamp: string;
            data: {
                /** @description The slug of the product. */
                product: string;
                /** @description The license that the event is about. Absent in `webhook.test` and in the events of releases. */
                license?: components["schemas"]["EventLicense"];
                /** @description The release, present only in the events of releases. */
                release?: components["schemas"]["EventRelease"];
                /** @description The device that was bound or freed, present only in events about a single device. */
                device?: components["schemas"]["Device"];
                /** @description Why a device was freed: `lease_ended`, `replaced` (by another device) or `buyer` (in the portal). Absent if an app or an operator freed the device. */
                reason?: string;
                /** @description The previous key of the license, present only in `license.reissued`. */
                previous_key?: string;
                /** @description The ids of the licenses that a mail is about. */
                license_ids?: number[];
                /** @description Present only for a mail with a reminder. `event` and `days` identify the reminder in the mail settings. `date` is the expiry or the end of updates that the mail is about. */
                reminder?: {
                    /**
                     * @description `expiring`: a reminder before the expiry. `expired`: a reminder after the expiry. `updates_expiring`: a reminder before the end of updates.
                     * @enum {string}
                     */
                    event: "expiring" | "expired" | "updates_expiring";
                    /** @description The number of days between the reminder and the expiry or end of updates. */
                    days: number;
                    /** Format: date-time */
                    date: string;
                };
            };
        };
        MailPreview: {
            subject: string;
            text: string;
            html: string;
            /** @enum {string} */
            language: "en" | "de";
        };
        MailSettings: {
            /** @description Whether keys are mailed automatically. If true, the key of every license that is created with a buyer's address is mailed to that address. The keys of trials are never mailed automatically. */
            send_keys: boolean;
            /** @description The e-mail address for replies; null: the from-address of the deployment. */
            reply_to: string | null;
            subject: string;
            /** @description The text of the mail with the keys, as plain text. Placeholders: {{product}}, {{license_type}}, {{keys}}, {{expires_at}}, {{seats}}, {{order}}, {{portal}}. */
            text: string;
            /**
             * @description The language of the default texts and of dates. A license may have its own language.
             * @enum {string}
             */
            language: "en" | "de";
            /** @description The URL of the vendor’s page for renewals. Reminders contain a link to this URL. Its placeholders `{{key}}`, `{{order}}` and `{{license_id}}` are replaced with percent-encoded values. */
            renew_url: string | null;
            /** @description The mails that are sent before or after the expiry of a license, or before the end of its updates. */
            reminders: components["schemas"]["Reminder"][];
        };
        MailStatus: {
            configured: boolean;
            from: string | null;
        };
        /** @description Data that the operator stores with the license: at most 16 KB as JSON, and at most 20 levels deep. A number that cannot be stored exactly is refused: send such a number as text. Client apps never see the metadata. */
        Metadata: {
            [key: string]: unknown;
        };
        NewAdminToken: {
            id: number;
            name: string;
            scopes: components["schemas"]["Scope"][];
            /** @description The id of the only product that the token can see and change; null: all products. */
            product_id: number | null;
            /** @description The time from which the token is refused; null: the token never expires. */
            expires_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description The last day (UTC) on which the token was used; null if it was never used. */
            last_used_on: string | null;
            /** @description The token, for the header `X-Svc-Admin-Token`. It is shown only once, because the service stores only a hash of the token. */
            token: string;
        };
        NewArtifact: {
            filename: string;
            /** @enum {string} */
            platform: "windows" | "macos" | "linux" | "any";
            /** @enum {string} */
            arch: "x64" | "arm64" | "ia32" | "universal" | "any";
            size: number;
            sha256: string;
            sha512: string;
            signature: string | null;
            content_type: string;
            block_map_size: number | null;
            /** @description True if the file was uploaded with the declared size and SHA-256. */
            uploaded: boolean;
            upload: {
                /** @constant */
                method: "PUT";
                /** @description Anyone who has the URL can upload this file, and nothing else. */
                url: string;
                /** @description Send these headers unchanged. */
                headers: {
                    "content-type": string;
                    "x-amz-checksum-sha256": string;
                };
                /** Format: date-time */
                expires_at: string;
            };
        };
        NextSigningKey: {
            /** @description The thumbprint of the key (RFC 7638). */
            kid: string;
            /** @description The Ed25519 public key, as SubjectPublicKeyInfo PEM. */
            public_key: string;
            /**
             * @description `next`: the key is published, but signs nothing yet. `current`: the key signs tokens. `previous`: the key no longer signs tokens, but its tokens are still valid.
             * @enum {string}
             */
            status: "current" | "next" | "previous";
        };
        Note: {
            /** @description The id of the note, 24 hex digits. */
            id: string;
            text: string;
            /** Format: date-time */
            at: string;
            /** @description `deployment` for the deployment's own token, or the id of the admin token that wrote the note. */
            actor: string;
            actor_name: string;
        };
        NoteDeletion: {
            /** @constant */
            deleted: true;
        };
        Offer: {
            /** @description The newest release that the license covers and whose required features the license has; null if that release is not newer than `version`, or if there is no such release. */
            update: {
                version: string;
                channel: string;
                /** Format: date-time */
                released_at: string;
                notes: string | null;
                artifacts: components["schemas"]["OfferedArtifact"][];
            } | null;
            /** @description The newest release whose required features the license has. If `covered` is false, the license does not cover this release, and the app can offer a renewal. */
            newest: {
                version: string;
                /** Format: date-time */
                released_at: string;
                covered: boolean;
            } | null;
        };
        OfferedArtifact: {
            filename: string;
            /** @enum {string} */
            platform: "windows" | "macos" | "linux" | "any";
            /** @enum {string} */
            arch: "x64" | "arm64" | "ia32" | "universal" | "any";
            size: number;
            sha256: string;
            sha512: string;
            signature: string | null;
            /** @description The URL of the file. A download needs the same license headers as this request. */
            url: string;
        };
        OfflineToken: {
            /** @description The offline token, a compact JWS (EdDSA). */
            token: string;
        };
        OpenApiDocument: {
            openapi: string;
        } & {
            [key: string]: unknown;
        };
        Overview: {
            /** @description The licenses by license type, in ascending id order. Types without a license are absent. */
            licenses: {
                license_type_id: number;
                /** @description Licenses with the status `active`. */
                active: number;
                /** @description Licenses with the status `suspended`. */
                suspended: number;
                /** @description Licenses with the status `expired`. */
                expired: number;
                /** @description Licenses with the status `revoked`. */
                revoked: number;
                /** @description Licenses whose expiry has passed but whose status is still `active`, because no activation, validation or request for the device list has checked them since. At most 1000 are counted. */
                lapsed: number;
                /** @description Active licenses that expire within 30 days. At most 1000 are counted. */
                expiring: number;
                /** @description True if the real number for `lapsed` or `expiring` may be higher. */
                capped: boolean;
            }[];
            /** @description The numbers of each of the last days, from the oldest day to today. */
            days: {
                /** Format: date */
                date: string;
                /** @description Licenses that were issued, including imported licenses. */
                issued: number;
                /** @description Renewals, that is, changes that moved the expiry of a license to a later time. */
                renewed: number;
                /** @description Devices that took a seat. */
                activations: number;
                /** @description Events that the webhook accepted. */
                delivered: number;
                /** @description Events whose last attempt failed. */
                failed: number;
                /** @description Events that were not posted, because no webhook URL was set or the webhook excludes the event. */
                skipped: number;
                /** @description Downloads of files of releases. A download that is interrupted and continued counts once. */
                downloads: number;
            }[];
            /** @description The licenses that expire on each of the next `days` days, today first. */
            expiring_days: {
                /** Format: date */
                date: string;
                /** @description Active licenses that expire on this day. For today, only licenses that expire from now on are counted. */
                expiring: number;
                /** @description True if more licenses may expire on this day than `expiring` says. For all days together, the service reads at most 4,000 licenses, the earliest expiry first. */
                capped: boolean;
            }[];
            /** @description The versions that were downloaded in the last `days` days, the newest version first. */
            downloads: {
                version: string;
                /** @description Downloads of the version on all days of the overview. */
                total: number;
                days: {
                    /** Format: date */
                    date: string;
                    /** @description Downloads of the version on this day. */
                    downloads: number;
                }[];
            }[];
        };
        Payment: {
            id: string;
            product_id: number;
            connection_id: number;
            /** @enum {string} */
            processor: "stripe" | "paddle" | "lemonsqueezy" | "polar" | "gumroad";
            /** @enum {string} */
            source: "webhook" | "reconcile";
            event_id: string;
            type: string;
            action: string;
            /** @enum {string} */
            status: "done" | "ignored" | "held" | "waiting";
            reason: string | null;
            order_id: string | null;
            subscription_id: string | null;
            customer_email: string | null;
            test: boolean;
            license_ids: number[];
            /** @description The amount that the notification reports as paid or refunded, in the currency's minor unit and including tax; null if it reports no amount. */
            amount: number | null;
            /** @description The processor's fee, in the currency's minor unit. Only Paddle, Polar and Gumroad report a fee. */
            fee: number | null;
            /** @description The currency as an ISO 4217 code. */
            currency: string | null;
            /** @description The buyer's country as an ISO 3166-1 alpha-2 code. */
            country: string | null;
            /** @description The processor's id of the payment or refund. Several rows can report the same payment or the same refund. These rows have the same id. To add up amounts, take only the largest amount of each id, separately for payments and refunds. If the id is null, don't add the amount, because another row reports the same money. */
            transaction_id: string | null;
            /** @description The addresses of the processor's own pages about the order and the subscription. An address is null if the service cannot determine it. */
            links: {
                order: string | null;
                subscription: string | null;
            };
            occurred_at: string | null;
            /** Format: date-time */
            received_at: string;
            processed_at: string | null;
            /** @description The notification as the processor sent it. A form-encoded notification is shown as an object with the fields of the form. The payload is null if it was erased, and `{"unreadable": <reason>}` if it can no longer be decrypted. */
            payload: {
                [key: string]: unknown;
            } | null;
        };
        PaymentConnection: {
            id: number;
            product_id: number;
            /** @enum {string} */
            processor: "stripe" | "paddle" | "lemonsqueezy" | "polar" | "gumroad";
            /** @enum {string} */
            mode: "live" | "test";
            name: string;
            enabled: boolean;
            /** @description The URL to enter at the processor. Keep the URL secret, because it is part of the credential with which notifications are sent. */
            url: string;
            signing_secret_set: boolean;
            api_key_set: boolean;
            plans: {
                ref: string;
                license_type_id: number;
                /** @enum {string} */
                quantity: "licenses" | "seats" | "one";
                /** @enum {string} */
                extends: "license" | "updates";
                fallback_months: number | null;
            }[];
            default_license_type_id: number | null;
            grace_days: number;
            /** @enum {string} */
            on_payment_failed: "nothing" | "suspend";
            /** @enum {string} */
            on_dispute: "nothing" | "suspend" | "revoke";
            /** @enum {string} */
            on_partial_refund: "nothing" | "revoke";
            last_received_at: string | null;
            last_reconciled_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        PaymentReceipt: {
            /** @enum {string} */
            status: "done" | "ignored" | "held" | "waiting" | "duplicate";
            /** @description The id of the notification's row in the payments log; null if the notification has no row. */
            id: string | null;
        };
        PortalAddress: {
            email: string;
        };
        PortalDevice: {
            /** @description An opaque identifier of the device within its license. It is not the fingerprint. */
            ref: string;
            name: string;
            platform: string;
            /** Format: date-time */
            activated_at: string;
            last_seen_on: string | null;
        };
        PortalDownload: {
            license_id: number;
            version: string;
            /** Format: date-time */
            released_at: string;
            /** @description The release notes, in Markdown. */
            notes: string | null;
            artifacts: {
                filename: string;
                /** @enum {string} */
                platform: "windows" | "macos" | "linux" | "any";
                /** @enum {string} */
                arch: "x64" | "arm64" | "ia32" | "universal" | "any";
                /** @description The size of the file, in bytes. */
                size: number;
                /** @description The URL of the file. A request to this URL needs no header. The URL is valid for 5 minutes. To get a new URL, list the downloads again. */
                url: string;
            }[];
        };
        PortalFront: {
            /** @description The product's name. */
            product: string;
            title: string;
            support_url: string | null;
            color: string | null;
            allow: ("free_devices" | "reissue" | "change_email" | "offline" | "downloads")[];
        };
        PortalLicense: {
            id: number;
            /** @description The license key. */
            key: string;
            status: components["schemas"]["LicenseStatus"];
            /** @description The time from which the license is expired; null if the license never expires, or if its term starts with the first activation and has not started yet. */
            expires_at: string | null;
            license_type: {
                name: string;
                kind: components["schemas"]["LicenseKind"];
            };
            /** @description The names of the features that the buyer may use, sorted. */
            features: string[];
            seats: components["schemas"]["Seats"];
            updates: components["schemas"]["Updates"];
            order: {
                /** @enum {string} */
                processor: "stripe" | "paddle" | "lemonsqueezy" | "polar" | "gumroad";
                order_id: string;
            } | null;
            /** Format: date-time */
            created_at: string;
            devices: components["schemas"]["PortalDevice"][];
            /** @description The number of devices of the license that the buyer may free now; null: no limit. */
            frees_left: number | null;
        };
        PortalLink: {
            /** @description The link. Anyone who has the link can sign in as the buyer once, so give it only to the buyer. */
            url: string;
            /** Format: date-time */
            expires_at: string;
        };
        PortalSession: {
            /** @description The token of the session, for the header `X-Portal-Session`. The token is shown only once, because the service stores only its hash. */
            session: string;
            /**
             * Format: date-time
             * @description The time at which the session ends if it is not used again: 60 minutes after its last use, but at most 12 hours after its beginning.
             */
            expires_at: string;
        };
        PortalSettings: {
            enabled: boolean;
            /** @description The heading of the portal's page; the default is the product's name. */
            title: string;
            support_url: string | null;
            /** @description The color of buttons; null: the default color of the page. */
            color: string | null;
            allow: ("free_devices" | "reissue" | "change_email" | "offline" | "downloads")[];
            /** @description The maximum number of devices of one license that its buyer may free within 30 days. The 30 days begin when the first device is freed. 0: no limit. */
            frees_per_30_days: number;
            /** @description Whether mail is configured. Without mail, buyers can sign in only with a link that the vendor creates. */
            mail_configured: boolean;
        };
        PortalSignOut: {
            ended: boolean;
        };
        PortalToken: {
            /** @description A signed offline token that is bound to the device. */
            response: string;
        };
        Product: {
            id: number;
            name: string;
            /** @description The short name of the product. It is the audience (`aud`) of offline tokens and the `product` in events. */
            slug: string;
            /** @description The API key of the product, which client apps send in `X-API-Key`. */
            api_key: string;
            /** @description The Ed25519 public key that verifies offline tokens, as SubjectPublicKeyInfo PEM. */
            public_key: string;
            /** @description Whether apps may list the devices of a license. */
            list_devices: boolean;
            /**
             * Format: date-time
             * @description The time of creation.
             */
            created_at: string;
        };
        ProductExpiring: {
            /** @description Active licenses that expire within 7 UTC days. The first day is today, and the last day is included completely. */
            licenses: number;
            /** @description True if more licenses may expire within these days than `licenses` says. The service reads at most 100 licenses of a product, the earliest expiry first. */
            capped: boolean;
            /** @description Licenses that expire within these days, but are not counted in `licenses`, because the service cannot read their rows. */
            unreadable: number;
        };
        ProductNumbers: {
            licenses: {
                /** @description Licenses with the status `active`. */
                active: number;
                /** @description Licenses with the status `suspended`. */
                suspended: number;
                /** @description Licenses with the status `expired`. */
                expired: number;
                /** @description Licenses with the status `revoked`. */
                revoked: number;
            };
            /** @description Events of the last 30 days whose last attempt failed. */
            failed_deliveries: number;
        };
        Refusal: {
            /**
             * Format: date-time
             * @description The time of the first refused request of this row.
             */
            at: string;
            /**
             * Format: date-time
             * @description The time at which `count` was last raised.
             */
            last_at: string;
            /** @description The number of refused requests of this row. At most one request per minute is counted. */
            count: number;
            /** @description The id of the license; null if no license has the key. */
            license_id: number | null;
            /**
             * @description The error code of the refusal, or `invalid` for a validation with an unknown key.
             * @enum {string}
             */
            reason: "license_suspended" | "license_expired" | "license_revoked" | "release_not_covered" | "no_seats" | "too_many_devices" | "not_found" | "invalid";
            /** @description The first group of the key, at most 5 characters. */
            key_hint: string;
            /** @description The first 8 characters of the fingerprint. */
            fingerprint_hint: string | null;
            /** @description The name of the device: the name that the app sent, otherwise the stored name; null if there is no name. */
            name: string | null;
            platform: string | null;
            /** @description The version of the app, if the request contained a version. */
            version: string | null;
        };
        Release: {
            id: number;
            /** @description The id of the product. */
            product_id: number;
            version: string;
            channel: string;
            /** @enum {string} */
            status: "draft" | "published" | "yanked";
            notes: string | null;
            /** @description The date that decides which licenses cover the release. In a draft, null means the time of publishing. */
            released_at: string | null;
            /** @description The features that a license must have to get the release, sorted. */
            features: string[];
            build: string | null;
            /**
             * Format: date-time
             * @description The time of creation.
             */
            created_at: string;
            published_at: string | null;
            /** @description The time at which the release was yanked (withdrawn from all users); null if it is not yanked. */
            yanked_at: string | null;
            yanked_reason: string | null;
            /** @description The files of the release, sorted by name. */
            artifacts: components["schemas"]["Artifact"][];
        };
        Reminder: {
            /**
             * @description `expiring`: a reminder before the expiry. `expired`: a reminder after the expiry. `updates_expiring`: a reminder before the end of updates.
             * @enum {string}
             */
            event: "expiring" | "expired" | "updates_expiring";
            /** @description The number of days between the reminder and the expiry or end of updates. */
            days: number;
            subject: string;
            text: string;
        };
        ResetResult: {
            /** @constant */
            status: "reset";
            /** @description The number of seats that were freed. */
            freed: number;
        };
        RotatedWebhook: {
            /** @description The URL to which events are posted; empty if no URL is set. */
            url: string;
            /** @description The new secret. Keep it only on the server. */
            secret: string;
            /** @description The time until which events are also signed with the previous secret; null if only the new secret signs. */
            previous_until: string | null;
        };
        /**
         * @description `read` permits every GET request, except those about releases, the list of tokens and the audit log. `licenses` permits everything that `read` permits, and every write to licenses and license types. `releases` permits all requests about releases and their files, except the request that sets who may download them. `releases` also permits reading products. `manage` permits everything except managing tokens and reading the audit log. `admin` permits everything. Responses contain secrets, such as API keys, only for tokens with `manage` or `admin`.
         * @enum {string}
         */
        Scope: "read" | "licenses" | "releases" | "manage" | "admin";
        Seats: {
            /** @description The number of devices that are bound now. */
            used: number;
            /** @description Maximum number of devices at a time; 0 means unlimited. */
            max: number;
        };
        SentMail: {
            /** @constant */
            status: "sent";
            to: string;
            message_id: string;
        };
        Service: {
            service: string;
            version: string;
            /** @description The address of the interactive documentation. */
            docs: string;
            /** @description The address of the admin page for operators. */
            admin: string;
            /** @description The address of the liveness probe. */
            healthz: string;
        };
        ShownPayment: {
            id: string;
            product_id: number;
            connection_id: number;
            /** @enum {string} */
            processor: "stripe" | "paddle" | "lemonsqueezy" | "polar" | "gumroad";
            /** @enum {string} */
            source: "webhook" | "reconcile";
            event_id: string;
            type: string;
            action: string;
            /** @enum {string} */
            status: "done" | "ignored" | "held" | "waiting";
            reason: string | null;
            order_id: string | null;
            subscription_id: string | null;
            customer_email: string | null;
            test: boolean;
            license_ids: number[];
            /** @description The amount that the notification reports as paid or refunded, in the currency's minor unit and including tax; null if it reports no amount. */
            amount: number | null;
            /** @description The processor's fee, in the currency's minor unit. Only Paddle, Polar and Gumroad report a fee. */
            fee: number | null;
            /** @description The currency as an ISO 4217 code. */
            currency: string | null;
            /** @description The buyer's country as an ISO 3166-1 alpha-2 code. */
            country: string | null;
            /** @description The processor's id of the payment or refund. Several rows can report the same payment or the same refund. These rows have the same id. To add up amounts, take only the largest amount of each id, separately for payments and refunds. If the id is null, don't add the amount, because another row reports the same money. */
            transaction_id: string | null;
            /** @description The addresses of the processor's own pages about the order and the subscription. An address is null if the service cannot determine it. */
            links: {
                order: string | null;
                subscription: string | null;
            };
            occurred_at: string | null;
            /** Format: date-time */
            received_at: string;
            processed_at: string | null;
            /** @description The notification as the processor sent it. A form-encoded notification is shown as an object with the fields of the form. The payload is null if it was erased, and `{"unreadable": <reason>}` if it can no longer be decrypted. Absent for tokens without the scope `manage`. */
            payload?: {
                [key: string]: unknown;
            } | null;
        };
        ShownPaymentConnection: {
            id: number;
            product_id: number;
            /** @enum {string} */
            processor: "stripe" | "paddle" | "lemonsqueezy" | "polar" | "gumroad";
            /** @enum {string} */
            mode: "live" | "test";
            name: string;
            enabled: boolean;
            /** @description The URL to enter at the processor. Keep the URL secret, because it is part of the credential with which notifications are sent. Absent for tokens without the scope `manage`. */
            url?: string;
            signing_secret_set: boolean;
            api_key_set: boolean;
            plans: {
                ref: string;
                license_type_id: number;
                /** @enum {string} */
                quantity: "licenses" | "seats" | "one";
                /** @enum {string} */
                extends: "license" | "updates";
                fallback_months: number | null;
            }[];
            default_license_type_id: number | null;
            grace_days: number;
            /** @enum {string} */
            on_payment_failed: "nothing" | "suspend";
            /** @enum {string} */
            on_dispute: "nothing" | "suspend" | "revoke";
            /** @enum {string} */
            on_partial_refund: "nothing" | "revoke";
            last_received_at: string | null;
            last_reconciled_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        ShownProduct: {
            id: number;
            name: string;
            /** @description The short name of the product. It is the audience (`aud`) of offline tokens and the `product` in events. */
            slug: string;
            /** @description The API key of the product, which client apps send in `X-API-Key`. Absent for tokens without the scope `manage`. */
            api_key?: string;
            /** @description The Ed25519 public key that verifies offline tokens, as SubjectPublicKeyInfo PEM. */
            public_key: string;
            /** @description Whether apps may list the devices of a license. */
            list_devices: boolean;
            /**
             * Format: date-time
             * @description The time of creation.
             */
            created_at: string;
        };
        ShownWebhook: {
            /** @description The URL to which events are posted; empty if no URL is set. */
            url: string;
            /** @description The events that are posted; null: all events. */
            events: ("license.created" | "license.activated" | "license.deactivated" | "license.reset" | "license.revoked" | "license.expired" | "license.renewed" | "license.updated" | "license.suspended" | "license.reinstated" | "license.reissued" | "license.expiring" | "license.seats_exhausted" | "license.updates_renewed" | "license.updates_expiring" | "release.published" | "release.yanked" | "webhook.test")[] | null;
            /** @description The secret with which deliveries are signed. The secret changes only when it is rotated. Keep the secret only on the server. Absent for tokens without the scope `manage`. */
            secret?: string;
        };
        SigningKey: {
            /** @description The thumbprint of the key (RFC 7638). */
            kid: string;
            /** @description The Ed25519 public key, as SubjectPublicKeyInfo PEM. */
            public_key: string;
            /**
             * @description `next`: the key is published, but signs nothing yet. `current`: the key signs tokens. `previous`: the key no longer signs tokens, but its tokens are still valid.
             * @enum {string}
             */
            status: "current" | "next" | "previous";
            /** Format: date-time */
            created_at: string;
        };
        TauriUpdate: {
            version: string;
            /** Format: date-time */
            pub_date: string;
            url: string;
            /** @description The signature of the file: the text of the `.sig` file that Tauri created. */
            signature: string;
            notes: string;
        };
        TokenRevocation: {
            /** @description False if the token was already revoked. */
            revoked: boolean;
        };
        /** @description The limits that decide which releases a license covers. A release is covered if it is within at least one of the limits, or if there is no limit. */
        Updates: {
            /** @description The license covers releases up to this instant; null: no limit by date. */
            until: string | null;
            /** @description The license covers releases up to this major version; null: no limit by version. */
            max_major: number | null;
        };
        Validation: {
            /** @constant */
            valid: true;
            status: components["schemas"]["LicenseStatus"];
            license: components["schemas"]["ClientLicense"];
            device?: components["schemas"]["Device"];
            seats: components["schemas"]["Seats"];
            /** @description The names of the features that the buyer may use, sorted. */
            features: string[];
            updates: components["schemas"]["Updates"];
            /** @description Whether the license covers the release in the query; absent if the query contains neither `version` nor `released_at`. */
            covered?: boolean;
            /** @description An offline token that is bound to the device: a compact JWS (EdDSA). Apps verify the token with the product's public key, without a network. */
            offline_token?: string;
        } | {
            /** @constant */
            valid: false;
            /** @enum {string} */
            status: "invalid" | "suspended" | "expired" | "revoked";
        };
        Webhook: {
            /** @description The URL to which events are posted; empty if no URL is set. */
            url: string;
            /** @description The events that are posted; null: all events. */
            events: ("license.created" | "license.activated" | "license.deactivated" | "license.reset" | "license.revoked" | "license.expired" | "license.renewed" | "license.updated" | "license.suspended" | "license.reinstated" | "license.reissued" | "license.expiring" | "license.seats_exhausted" | "license.updates_renewed" | "license.updates_expiring" | "release.published" | "release.yanked" | "webhook.test")[] | null;
            /** @description The secret with which deliveries are signed. The secret changes only when it is rotated. Keep the secret only on the server. */
            secret: string;
        };
    };
    responses: never;
    parameters: {
        /** @description Makes it safe to repeat a request. Within 24 hours, the same key with the same request returns the first response and changes nothing. The same key with a different request is refused (409). */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getService: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `Service` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Service"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `Health` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOpenapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An `OpenApiDocument` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenApiDocument"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listProducts: {
        parameters: {
            query?: {
                /** @description Maximum number of rows to return; default 1,000. */
                limit?: number;
                /** @description The position after the previous page, from the `Link` header of the previous response. */
                cursor?: string;
                /** @description Additional fields of each product, for tokens with the scope `read`. Request `expiring` less often than `numbers`: `expiring` is slower and costs more, because the service reads licenses to count them. */
                include?: "numbers" | "expiring";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array of `ListedProduct` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedProduct"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createProduct: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat a request. Within 24 hours, the same key with the same request returns the first response and changes nothing. The same key with a different request is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    slug: string;
                };
            };
        };
        responses: {
            /** @description A `Product` object. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Product"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getProduct: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `ShownProduct` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShownProduct"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateProduct: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    /** @description Whether apps may list the devices of a license. A change takes effect within 60 s. */
                    list_devices?: boolean;
                };
            };
        };
        responses: {
            /** @description A `Product` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Product"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getJwks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `JwkSet` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JwkSet"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat a request. Within 24 hours, the same key with the same request returns the first response and changes nothing. The same key with a different request is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description The number of hours for which the previous key or secret remains valid. With 0, it becomes invalid within 60 s.
                     * @default 720
                     */
                    overlap_hours?: number;
                };
            };
        };
        responses: {
            /** @description A `Product` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Product"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSigningKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array of `SigningKey` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKey"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createSigningKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `NextSigningKey` object. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NextSigningKey"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSigningKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                /** @description The thumbprint of the key (RFC 7638). */
                kid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array of `SigningKey` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKey"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    activateSigningKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                /** @description The thumbprint of the key (RFC 7638). */
                kid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array of `SigningKey` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKey"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat a request. Within 24 hours, the same key with the same request returns the first response and changes nothing. The same key with a different request is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description The number of hours for which the previous key or secret remains valid. With 0, it becomes invalid within 60 s.
                     * @default 24
                     */
                    overlap_hours?: number;
                };
            };
        };
        responses: {
            /** @description A `RotatedWebhook` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedWebhook"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getDeploymentOverview: {
        parameters: {
            query?: {
                /** @description The number of days to show; default 30. */
                days?: number;
                /** @description Also return the numbers of this day by product. */
                date?: string;
                /** @description An additional part of the response. `attention` adds the products with failures or held sales, which need an action by an operator. */
                include?: "attention";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `DeploymentOverview` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentOverview"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOverview: {
        parameters: {
            query?: {
                /** @description The number of days to show; default 30. */
                days?: number;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An `Overview` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getLicenseType: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `LicenseType` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseType"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateLicenseType: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    /** @description Maximum number of devices at a time; 0 means unlimited. */
                    max_seats?: number;
                    /** @description The number of days from the start of the term to the expiry. Only for the kinds `subscription` and `trial`. */
                    duration_days?: number;
                    features?: string[];
                    /** @description Only for the kind `floating`: the number of minutes for which a device keeps its seat after an activation or validation; null: the device keeps the seat until the seat is freed. */
                    lease_minutes?: number | null;
                    /** @description Maximum number of new devices that may take a seat of one license within 7 days; 0 means unlimited. */
                    new_devices_per_week?: number;
                    /** @description The number of days with updates, from the start of the term; null: no limit by date. */
                    updates_days?: number | null;
                    /** @description The newest major version that the license covers; null: no limit by version. */
                    max_major?: number | null;
                    /**
                     * @description When the term of a license starts. `creation`: when the license is issued. `activation`: with its first activation, only for the kinds `subscription` and `trial`.
                     * @enum {string}
                     */
                    starts?: "creation" | "activation";
                    /** @description Whether an expired license may still download the releases whose `released_at` is before its expiry. */
                    downloads_when_expired?: boolean;
                    /** @description Whether client apps may start a trial of this type without a key. The value can be true only for a type of the kind `trial`, and for at most one type of each product. */
                    self_service?: boolean;
                    /** @description If true, no new licenses of this type are issued. */
                    archived?: boolean;
                };
            };
        };
        responses: {
            /** @description A `LicenseType` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseType"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listLicenseTypes: {
        parameters: {
            query?: {
                /** @description Maximum number of rows to return; default 1,000. */
                limit?: number;
                /** @description The position after the previous page, from the `Link` header of the previous response. */
                cursor?: string;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array of `LicenseType` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseType"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createLicenseType: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat a request. Within 24 hours, the same key with the same request returns the first response and changes nothing. The same key with a different request is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    kind: components["schemas"]["LicenseKind"];
                    /**
                     * @description Maximum number of devices at a time; 0 means unlimited.
                     * @default 0
                     */
                    max_seats?: number;
                    /** @description The number of days from the start of the term to the expiry. The field is required for the kinds `subscription` and `trial`, and refused for other kinds. */
                    duration_days?: number | null;
                    /** @description The names of the features that the buyer may use; default none. */
                    features?: string[] | null;
                    /** @description Only for the kind `floating`: the number of minutes for which a device keeps its seat after an activation or validation; null: the device keeps the seat until the seat is freed. */
                    lease_minutes?: number | null;
                    new_devices_per_week?: number | null;
                    /** @description The number of days with updates, from the start of the term; null: no limit by date. */
                    updates_days?: number | null;
                    /** @description The newest major version that the license covers; null: no limit by version. */
                    max_major?: number | null;
                    starts?: ("creation" | "activation") | null;
                    downloads_when_expired?: boolean | null;
                    /** @description Whether client apps may start a trial of this type without a key. The value can be true only for a type of the kind `trial`, and for at most one type of each product. */
                    self_service?: boolean | null;
                };
            };
        };
        responses: {
            /** @description A `LicenseType` object. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseType"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    searchLicenses: {
        parameters: {
            query?: {
                /** @description Maximum number of rows to return; default 1,000. */
                limit?: number;
                /** @description The position after the previous page, from the `Link` header of the previous response. */
                cursor?: string;
                /** @description The first characters of a key, an e-mail address, an order id, or the `name` in the metadata. Case does not matter. If the text has the form `Name <address>`, only the address is used. `q` can be combined only with `limit`. */
                q?: string;
                /** @description Only licenses whose buyer has exactly this e-mail address. Case does not matter. Trials with an unverified address are not found. */
                customer_email?: string;
                /** @description Only licenses with this key. */
                key?: string;
                /** @description Only licenses of this order. The value is an id that the processor uses for the order, such as the id on the buyer's receipt. */
                order?: string;
                /** @description Only licenses to which the device with this fingerprint is bound. */
                fingerprint?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array of `License` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["License"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getLicense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `License` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["License"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateLicense: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat a request. Within 24 hours, the same key with the same request returns the first response and changes nothing. The same key with a different request is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The buyer's e-mail address; null removes the address. */
                    customer_email?: string | null;
                    /** @description The language of mails about the license; null: the language of the product. */
                    language?: ("en" | "de") | null;
                    metadata?: components["schemas"]["Metadata"];
                    /** @description The new expiry, which may be earlier or later than the current expiry; null: the license never expires. */
                    expires_at?: string | null;
                    /** @description The new end of updates, which may be earlier or later than the current end; null: no limit by date. */
                    updates_until?: string | null;
                    /** @description The newest major version that the license covers; null: no limit by version. */
                    max_major?: number | null;
                    /** @description The license's own number of seats; 0: unlimited; null: the number of seats of the license type. */
                    max_seats?: number | null;
                    /** @description The license's own features; null: the features of the license type. */
                    features?: string[] | null;
                    /** @description The id of a license type of the same product. The type must not be archived. */
                    license_type_id?: number;
                };
            };
        };
        responses: {
            /** @description A `License` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["License"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteActivation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                fingerprint: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `Deactivation` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deactivation"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listNotes: {
        parameters: {
            query?: {
                /** @description Maximum number of rows to return; default 1,000. */
                limit?: number;
                /** @description The position after the previous page, from the `Link` header of the previous response. */
                cursor?: string;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array of `Note` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Note"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat a request. Within 24 hours, the same key with the same request returns the first response and changes nothing. The same key with a different request is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The text of the note, which may have several lines. */
                    text: string;
                };
            };
        };
        responses: {
            /** @description A `Note` object. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Note"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                note: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `NoteDeletion` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteDeletion"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    mintOfflineToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The fingerprint of the device to which the token is bound. */
                    fingerprint?: string | null;
                    /** @description A name by which people recognize the device. */
                    name?: string | null;
                    /** @description The platform of the device, for example its operating system. */
                    platform?: string | null;
                    /** @description The number of days for which the token is valid, unless the license expires earlier. */
                    ttl_days?: number | null;
                };
            };
        };
        responses: {
            /** @description An `OfflineToken` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OfflineToken"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listLicenseRefusals: {
        parameters: {
            query?: {
                /** @description Maximum number of rows to return; default 1,000. */
                limit?: number;
                /** @description The position after the previous page, from the `Link` header of the previous response. */
                cursor?: string;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array of `Refusal` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    reinstateLicense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `License` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["License"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    reissueLicense: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat a request. Within 24 hours, the same key with the same request returns the first response and changes nothing. The same key with a different request is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `License` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["License"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    renewLicense: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat a request. Within 24 hours, the same key with the same request returns the first response and changes nothing. The same key with a different request is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The number of days to add to the current expiry or to the current time, whichever is later. */
                    days?: number | null;
                    /** @description The new expiry, which must not be before the current expiry. `expires_at` cannot be combined with `days`. */
                    expires_at?: string | null;
                };
            };
        };
        responses: {
            /** @description A `License` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["License"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    renewUpdates: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat a request. Within 24 hours, the same key with the same request returns the first response and changes nothing. The same key with a different request is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The number of days to add to the current end of updates or to the current time, whichever is later. */
                    days?: number | null;
                    /** @description The new end of updates, which must not be before the current end. `until` cannot be combined with `days`. */
                    until?: string | null;
                };
            };
        };
        responses: {
            /** @description A `License` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["License"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    resetLicense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description If true, the count for the limit `new_devices_per_week` is set to 0. */
                    new_devices?: boolean;
                };
            };
        };
        responses: {
            /** @description A `ResetResult` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResetResult"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeLicense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The reason for the revocation, which is shown to operators. */
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description A `License` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["License"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    suspendLicense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The reason for the suspension, which is shown to operators. */
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description A `License` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["License"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listLicenses: {
        parameters: {
            query?: {
                /** @description Maximum number of rows to return; default 1,000. */
                limit?: number;
                /** @description The position after the previous page, from the `Link` header of the previous response. */
                cursor?: string;
                /** @description `id` (the default) sorts by id. `expires_at` sorts by expiry. Licenses that never expire come last, in both directions. A cursor is valid only with the same `sort`. */
                sort?: "id" | "expires_at";
                /** @description `asc` (the default) or `desc`. With `desc`, the license with the highest id or the latest expiry comes first, depending on `sort`. A cursor is valid only with the same `direction`. */
                direction?: "asc" | "desc";
                /** @description Only licenses that expire at this instant or later. Licenses that never expire are left out. */
                expires_after?: string;
                /** @description Only licenses that expire before this instant. With `status=active` and the current time, these are the licenses whose expiry has passed but whose stored status is still `active`. */
                expires_before?: string;
                /** @description Only licenses with this status. */
                status?: components["schemas"]["LicenseStatus"];
                /** @description Only the license with this key. */
                key?: string;
                /** @description Only licenses whose buyer has exactly this e-mail address. Case does not matter. Trials with an unverified address are left out. */
                customer_email?: string;
                /** @description Only licenses of this type. */
                license_type_id?: number;
                /** @description Only licenses issued at this instant or later. */
                created_after?: string;
                /** @description Only licenses issued before this instant. */
                created_before?: string;
                /** @description `full`: only licenses without a free seat. `unused`: only licenses without a device. */
                seats?: "full" | "unused";
                /** @description Only licenses whose term starts with the first activation and has not started yet. */
                starts?: "pending";
                /** @description Only licenses that have at least one device, and whose devices were all last seen before this UTC day. For a device that was never seen, the day of its activation counts. */
                unseen_since?: string;
                /** @description Only licenses of this order. Any id that the payment processor uses for the order is accepted. */
                order?: string;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array of `License` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["License"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createLicense: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat a request. Within 24 hours, the same key with the same request returns the first response and changes nothing. The same key with a different request is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The id of a license type of the product. */
                    license_type_id: number;
                    /** @description If false, the key is not mailed, even if the product mails keys automatically. Imports send false, so that buyers get no mails. */
                    mail?: boolean;
                    /** @description The buyer's e-mail address. Client apps never see it. */
                    customer_email?: string | null;
                    /** @description The language of mails about the license; null: the language of the product. */
                    language?: ("en" | "de") | null;
                    metadata?: components["schemas"]["Metadata"];
                    /** @description The expiry, which replaces the expiry that results from the duration of the license type. */
                    expires_at?: string | null;
                    /** @description A key that another system issued: 8 to 64 letters, digits and hyphens. Responses show the key exactly as it was given. When the service looks up a key, it ignores case, hyphens and spaces. */
                    key?: string | null;
                    /** @description The time of the sale, for imports. The time must not be in the future. The `duration_days` and `updates_days` of the license type are counted from this time, unless the term starts with the first activation. */
                    created_at?: string | null;
                    /** @description The end of updates, which replaces the end that results from the `updates_days` of the license type; null: no limit by date. */
                    updates_until?: string | null;
                    /** @description The newest major version that the license covers, which replaces the `max_major` of the license type; null: no limit by version. */
                    max_major?: number | null;
                    /** @description The license's own number of seats; null: the number of seats of the license type. */
                    max_seats?: number | null;
                    /** @description The license's own features; null: the features of the license type. */
                    features?: string[] | null;
                };
            };
        };
        responses: {
            /** @description A `License` object. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["License"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listProductRefusals: {
        parameters: {
            query?: {
                /** @description Maximum number of rows to return; default 1,000. */
                limit?: number;
                /** @description The position after the previous page, from the `Link` header of the previous response. */
                cursor?: string;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array of `Refusal` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    activate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The license key, as a person typed it. Case, spaces and hyphens are ignored. `O` is read as `0`, and `I` and `L` are read as `1`. */
                    key: string;
                    /** @description A text that identifies the device and is the same on every run of the app. By convention it is the SHA-256 of a hardware or system identifier, in hex. A hex string is converted to lower case. */
                    fingerprint: string;
                    /** @description A name by which people recognize the device; default empty. */
                    name?: string | null;
                    /** @description The platform of the device, for example its operating system; default empty. */
                    platform?: string | null;
                    /** @description The release of the app. If the license does not cover this release, the response is 403 `release_not_covered`. */
                    release?: {
                        version?: string | null;
                        released_at?: string | null;
                    } | null;
                    /** @description The `ref` of a device that the new device replaces if the license has no free seat. An unknown `ref` frees no device. */
                    replace?: string | null;
                };
            };
        };
        responses: {
            /** @description An `Activation` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Activation"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deactivate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The license key, as a person typed it. Case, spaces and hyphens are ignored. `O` is read as `0`, and `I` and `L` are read as `1`. */
                    key: string;
                    fingerprint?: string | null;
                    device?: string | null;
                };
            };
        };
        responses: {
            /** @description A `Deactivation` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deactivation"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDevices: {
        parameters: {
            query?: {
                /** @description Maximum number of rows to return; default 1,000. */
                limit?: number;
                /** @description The position after the previous page, from the `Link` header of the previous response. */
                cursor?: string;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The license key, as a person typed it. Case, spaces and hyphens are ignored. `O` is read as `0`, and `I` and `L` are read as `1`. */
                    key: string;
                    fingerprint?: string | null;
                };
            };
        };
        responses: {
            /** @description An array of `LicenseDevice` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseDevice"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    startTrial: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A text that identifies the device and is the same on every run of the app. By convention it is the SHA-256 of a hardware or system identifier, in hex. A hex string is converted to lower case. */
                    fingerprint: string;
                    /** @description A name by which people recognize the device; default empty. */
                    name?: string | null;
                    /** @description The platform of the device, for example its operating system; default empty. */
                    platform?: string | null;
                    /** @description The buyer's e-mail address, if the app asks for it. The service does not verify the address. The operator sees the address with the license. Searches and exports by address do not find the license until the operator sets `customer_email`. The key of a trial is never mailed automatically. */
                    customer_email?: string | null;
                };
            };
        };
        responses: {
            /** @description The response to a repeated request, which creates nothing new. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Activation"];
                };
            };
            /** @description An `Activation` object. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Activation"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    validate: {
        parameters: {
            query: {
                /** @description The license key, as a person typed it. Case, spaces and hyphens are ignored. `O` is read as `0`, and `I` and `L` are read as `1`. */
                key: string;
                /** @description A text that identifies the device and is the same on every run of the app. By convention it is the SHA-256 of a hardware or system identifier, in hex. A hex string is converted to lower case. */
                fingerprint: string;
                /** @description The version of the release: a semantic version, or numbers separated by dots. A leading `v` is allowed. If the version has another format, only the date of the release decides whether the release is covered. */
                version?: string;
                /** @description When the release was published. */
                released_at?: string;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `Validation` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Validation"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getDownloads: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `Downloads` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Downloads"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setDownloads: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description `licensed`: downloads need a license that covers the release. `public`: everybody may download without a credential.
                     * @enum {string}
                     */
                    access: "licensed" | "public";
                };
            };
        };
        responses: {
            /** @description A `Downloads` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Downloads"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listReleases: {
        parameters: {
            query?: {
                /** @description Maximum number of rows to return; default 1,000. */
                limit?: number;
                /** @description The position after the previous page, from the `Link` header of the previous response. */
                cursor?: string;
                /** @description Only releases of this channel. */
                channel?: string;
                status?: "draft" | "published" | "yanked";
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array of `Release` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createRelease: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat a request. Within 24 hours, the same key with the same request returns the first response and changes nothing. The same key with a different request is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    version: string;
                    /** @description The channel of the release; default `stable`. */
                    channel?: string | null;
                    notes?: string | null;
                    /** @description The date that decides which licenses cover the release; the default is the time of publishing. */
                    released_at?: string | null;
                    /** @description The features that a license must have to get the release; default none. */
                    features?: string[] | null;
                    build?: string | null;
                };
            };
        };
        responses: {
            /** @description A `Release` object. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `Release` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `Deletion` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deletion"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    notes?: string | null;
                    /** @description The features that a license must have to get the release; null: none. */
                    features?: string[] | null;
                    channel?: string;
                    /** @description The date that decides which licenses cover the release; null: the time of publishing. */
                    released_at?: string | null;
                    build?: string | null;
                };
            };
        };
        responses: {
            /** @description A `Release` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    filename: string;
                    /** @enum {string} */
                    platform: "windows" | "macos" | "linux" | "any";
                    /** @enum {string} */
                    arch: "x64" | "arm64" | "ia32" | "universal" | "any";
                    /** @description The size of the file in bytes; at most 5 GB. */
                    size: number;
                    /** @description SHA-256 of the file, in hex. */
                    sha256: string;
                    /** @description SHA-512 of the file, in hex. */
                    sha512: string;
                    /** @description The vendor's own signature of the file, such as the text of Tauri's `.sig` file. Feeds and responses contain the signature unchanged. */
                    signature?: string | null;
                    /** @description The media type of the file; default `application/octet-stream`. */
                    content_type?: string | null;
                    /** @description The size of the block map at the end of the file, for differential updates by electron-updater. */
                    block_map_size?: number | null;
                };
            };
        };
        responses: {
            /** @description A `NewArtifact` object. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewArtifact"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                filename: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `Deletion` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deletion"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    publishRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `Release` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    unyankRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `Release` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    yankRelease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The reason for the yank, which is shown to operators; at most 500 characters. */
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description A `Release` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Release"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getElectronFeed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
                channel: string;
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A document of the type `text/yaml`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/yaml": string;
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    downloadFeedFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
                version: string;
                filename: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSparkleFeed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A document of the type `application/xml`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/xml": string;
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getTauriFeed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
                channel: string;
                target: "darwin" | "linux" | "windows";
                arch: string;
                current_version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `TauriUpdate` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TauriUpdate"];
                };
            };
            /** @description No newer release is offered. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getLatestRelease: {
        parameters: {
            query?: {
                /** @description Only releases with a file for this platform. The response contains only files for this platform. */
                platform?: "windows" | "macos" | "linux" | "any";
                /** @description Only releases with a file for this architecture. The response contains only files for this architecture. */
                arch?: "x64" | "arm64" | "ia32" | "universal" | "any";
                /** @description The channel of the releases; default `stable`. */
                channel?: string;
                /** @description The current version of the app. If no newer version is offered, `update` is null. */
                version?: string;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An `Offer` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offer"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    downloadArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                version: string;
                filename: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `Delivery` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    redeliver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `Delivery` object. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listLicenseEvents: {
        parameters: {
            query?: {
                /** @description Maximum number of rows to return; default 1,000. */
                limit?: number;
                /** @description The position after the previous page, from the `Link` header of the previous response. */
                cursor?: string;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array of `Delivery` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description Maximum number of rows to return; default 1,000. */
                limit?: number;
                /** @description The position after the previous page, from the `Link` header of the previous response. */
                cursor?: string;
                status?: "pending" | "delivered" | "failed" | "skipped";
                channel?: "webhook" | "mail";
                /** @description Only events with this name. The service reads up to 1,000 events of the log to find the events of one page. */
                event?: "license.created" | "license.activated" | "license.deactivated" | "license.reset" | "license.revoked" | "license.expired" | "license.renewed" | "license.updated" | "license.suspended" | "license.reinstated" | "license.reissued" | "license.expiring" | "license.seats_exhausted" | "license.updates_renewed" | "license.updates_expiring" | "release.published" | "release.yanked" | "webhook.test" | "license.key_mailed" | "license.reminded" | "portal.code_mailed" | "portal.address_code_mailed" | "portal.address_notice_mailed" | "portal.key_mailed";
                /** @description Only events at this instant or later. */
                created_after?: string;
                /** @description Only events before this instant. */
                created_before?: string;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array of `Delivery` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    redeliverMany: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The status of the events that are sent again; default `failed`. */
                    status?: ("failed" | "skipped") | null;
                    /** @description Only events that were created at this time or later; default: the last 30 days. */
                    since?: string | null;
                    /** @description Only events that were created before this time; default: all events until now. */
                    until?: string | null;
                };
            };
        };
        responses: {
            /** @description A `BulkRedelivery` object. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkRedelivery"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `ShownWebhook` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShownWebhook"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The URL to which events are posted: an absolute `https:` URL without user info. The empty string removes the URL. */
                    url: string;
                    /** @description The events that are posted; null: all events. If the request does not contain this field, the list does not change. Events that are not in the list are logged as `skipped`, except for `webhook.test`, which is always posted. */
                    events?: ("license.created" | "license.activated" | "license.deactivated" | "license.reset" | "license.revoked" | "license.expired" | "license.renewed" | "license.updated" | "license.suspended" | "license.reinstated" | "license.reissued" | "license.expiring" | "license.seats_exhausted" | "license.updates_renewed" | "license.updates_expiring" | "release.published" | "release.yanked" | "webhook.test")[] | null;
                };
            };
        };
        responses: {
            /** @description A `Webhook` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `Delivery` object. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPaymentConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `ShownPaymentConnection` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShownPaymentConnection"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updatePaymentConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The mode of the processor. `test`: licenses of this connection are marked as test licenses. `live`: the connection ignores notifications of the test mode.
                     * @enum {string}
                     */
                    mode?: "live" | "test";
                    /** @description A name by which people recognize the connection; the default is the processor's name. */
                    name?: string;
                    /** @description If false, requests to the URL of the connection are refused with 401. */
                    enabled?: boolean;
                    /** @description Write-only. The secret with which the processor signs notifications. After a change, the previous secret remains valid for `overlap_hours`. Null removes all signing secrets. A secret must be so long that nobody can guess it: at least 16 characters for Stripe and Paddle, 6 for Lemon Squeezy, and 24 decoded bytes for Polar. Gumroad has no signing secret. */
                    signing_secret?: ((string | null) | null) | string | null;
                    /** @description Write-only. The number of hours for which the previous signing secret remains valid; default 24. */
                    overlap_hours?: number;
                    /** @description Write-only. The key for the processor's API. With this key the service reads details that a notification lacks, and notifications that were missed. */
                    api_key?: ((string | null) | null) | string | null;
                    /** @description The license types that are issued for the processor's products or prices. The given list replaces the previous list. */
                    plans?: {
                        /** @description The processor's id of the product or price that is sold. */
                        ref: string;
                        /** @description The id of a license type of the product. */
                        license_type_id: number;
                        /**
                         * @description What is issued for a purchase with the quantity n. `licenses`: n licenses. `seats`: one license with n times the seats of its type. `one`: one license, regardless of n.
                         * @default licenses
                         * @enum {string}
                         */
                        quantity?: "licenses" | "seats" | "one";
                        /**
                         * @description `license`: each paid period extends the license. `updates`: each paid period extends only `updates_until`, and payments do not set the expiry of the license.
                         * @default license
                         * @enum {string}
                         */
                        extends?: "license" | "updates";
                        /**
                         * @description A number of months, only allowed with `extends: "license"`. If a subscription ends after at least this number of consecutive paid months, its license never expires. The license then has an end of updates: the end of the paid time minus this number of months. Null: the license expires with the subscription.
                         * @default null
                         */
                        fallback_months?: number | null;
                    }[];
                    /** @description The id of the license type for a sale that matches no plan; null: the sale gets the status `held` and issues no license. */
                    default_license_type_id?: number | null;
                    /** @description The number of days from the end of the paid period to the expiry of the license; default 3. */
                    grace_days?: number;
                    /** @enum {string} */
                    on_payment_failed?: "nothing" | "suspend";
                    /** @enum {string} */
                    on_dispute?: "nothing" | "suspend" | "revoke";
                    /** @enum {string} */
                    on_partial_refund?: "nothing" | "revoke";
                };
            };
        };
        responses: {
            /** @description A `PaymentConnection` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentConnection"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    reconcilePayments: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    since?: string | null;
                };
            };
        };
        responses: {
            /** @description An object with `status`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "started";
                    };
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                payment: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `ShownPayment` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShownPayment"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    receivePayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                payment: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `PaymentReceipt` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentReceipt"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    processPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                payment: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `Payment` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPaymentConnections: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array of `ShownPaymentConnection` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShownPaymentConnection"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createPaymentConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat a request. Within 24 hours, the same key with the same request returns the first response and changes nothing. The same key with a different request is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    processor: "stripe" | "paddle" | "lemonsqueezy" | "polar" | "gumroad";
                    /**
                     * @description The mode of the processor. `test`: licenses of this connection are marked as test licenses. `live`: the connection ignores notifications of the test mode.
                     * @enum {string}
                     */
                    mode?: "live" | "test";
                    /** @description A name by which people recognize the connection; the default is the processor's name. */
                    name?: string;
                    /** @description If false, requests to the URL of the connection are refused with 401. */
                    enabled?: boolean;
                    /** @description Write-only. The secret with which the processor signs notifications. After a change, the previous secret remains valid for `overlap_hours`. Null removes all signing secrets. A secret must be so long that nobody can guess it: at least 16 characters for Stripe and Paddle, 6 for Lemon Squeezy, and 24 decoded bytes for Polar. Gumroad has no signing secret. */
                    signing_secret?: ((string | null) | null) | string | null;
                    /** @description Write-only. The number of hours for which the previous signing secret remains valid; default 24. */
                    overlap_hours?: number;
                    /** @description Write-only. The key for the processor's API. With this key the service reads details that a notification lacks, and notifications that were missed. */
                    api_key?: ((string | null) | null) | string | null;
                    /** @description The license types that are issued for the processor's products or prices. The given list replaces the previous list. */
                    plans?: {
                        /** @description The processor's id of the product or price that is sold. */
                        ref: string;
                        /** @description The id of a license type of the product. */
                        license_type_id: number;
                        /**
                         * @description What is issued for a purchase with the quantity n. `licenses`: n licenses. `seats`: one license with n times the seats of its type. `one`: one license, regardless of n.
                         * @default licenses
                         * @enum {string}
                         */
                        quantity?: "licenses" | "seats" | "one";
                        /**
                         * @description `license`: each paid period extends the license. `updates`: each paid period extends only `updates_until`, and payments do not set the expiry of the license.
                         * @default license
                         * @enum {string}
                         */
                        extends?: "license" | "updates";
                        /**
                         * @description A number of months, only allowed with `extends: "license"`. If a subscription ends after at least this number of consecutive paid months, its license never expires. The license then has an end of updates: the end of the paid time minus this number of months. Null: the license expires with the subscription.
                         * @default null
                         */
                        fallback_months?: number | null;
                    }[];
                    /** @description The id of the license type for a sale that matches no plan; null: the sale gets the status `held` and issues no license. */
                    default_license_type_id?: number | null;
                    /** @description The number of days from the end of the paid period to the expiry of the license; default 3. */
                    grace_days?: number;
                    /** @enum {string} */
                    on_payment_failed?: "nothing" | "suspend";
                    /** @enum {string} */
                    on_dispute?: "nothing" | "suspend" | "revoke";
                    /** @enum {string} */
                    on_partial_refund?: "nothing" | "revoke";
                };
            };
        };
        responses: {
            /** @description A `PaymentConnection` object. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentConnection"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPayments: {
        parameters: {
            query?: {
                /** @description Maximum number of rows to return; default 1,000. */
                limit?: number;
                /** @description The position after the previous page, from the `Link` header of the previous response. */
                cursor?: string;
                status?: "done" | "ignored" | "held" | "waiting";
                /** @description Only notifications about this order. The value is the complete order id. If the processor uses several ids for the order, each of these ids is accepted. */
                order?: string;
                connection_id?: number;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array of `ShownPayment` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShownPayment"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    processPayments: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An object with `processed` and `held`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        processed: number;
                        /** @description How many notifications are still held, including the notifications that the request did not reach. */
                        held: number;
                    };
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPurchase: {
        parameters: {
            query: {
                order: string;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One of several kinds of objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "pending";
                    } | {
                        /** @constant */
                        status: "ready";
                        licenses: {
                            key: string;
                            license_type: {
                                name: string;
                                kind: string;
                            };
                            expires_at: string | null;
                        }[];
                    };
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    mailLicense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `Delivery` object. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getMailStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `MailStatus` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailStatus"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sendTestMail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    to: string;
                };
            };
        };
        responses: {
            /** @description A `SentMail` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentMail"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getMailSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `MailSettings` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailSettings"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setMailSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    send_keys?: boolean;
                    reply_to?: string | null;
                    subject?: string | null;
                    text?: string | null;
                    language?: ("en" | "de") | null;
                    renew_url?: string | null;
                    reminders?: {
                        /**
                         * @description `expiring`: a reminder before the expiry. `expired`: a reminder after the expiry. `updates_expiring`: a reminder before the end of updates.
                         * @enum {string}
                         */
                        event: "expiring" | "expired" | "updates_expiring";
                        /** @description The number of days between the reminder and the expiry or end of updates. */
                        days: number;
                        /** @description The subject of the reminder; null: the default subject in the language of the mail. */
                        subject?: string | null;
                        /** @description The text of the reminder; null: the default text in the language of the mail. Placeholders: {{product}}, {{license_type}}, {{keys}}, {{expires_at}}, {{seats}}, {{order}}, {{portal}}, {{renew_url}}, {{days}}. */
                        text?: string | null;
                    }[] | null;
                };
            };
        };
        responses: {
            /** @description A `MailSettings` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailSettings"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    previewMail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The event whose reminder is shown; absent or null: the mail with a key is shown. */
                    event?: ("expiring" | "expired" | "updates_expiring") | null;
                    /** @description The number of days of the reminder; absent or null: the number of days of the first saved reminder with the same event, or 7 if there is no such reminder. */
                    days?: number | null;
                    /** @description The id of a license of the product; absent or null: example data. */
                    license_id?: number | null;
                    subject?: string | null;
                    text?: string | null;
                    renew_url?: string | null;
                    /** @description The language of the mail; absent or null: the language of the license, or of the product if the license has no language. */
                    language?: ("en" | "de") | null;
                };
            };
        };
        responses: {
            /** @description A `MailPreview` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailPreview"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showUnsubscribe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A document of the type `text/html`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    unsubscribeFromReminders: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A document of the type `text/html`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description Maximum number of rows to return; default 1,000. */
                limit?: number;
                /** @description The position after the previous page, from the `Link` header of the previous response. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array of `AdminToken` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminToken"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The name of the person or program that uses the token. The audit log shows this name. */
                    name: string;
                    scopes: components["schemas"]["Scope"][];
                    /** @description The id of the only product that the token can see and change; the default is all products. */
                    product_id?: number | null;
                    /** @description The time from which the token is refused, which must be in the future; the default is never. */
                    expires_at?: string | null;
                };
            };
        };
        responses: {
            /** @description A `NewAdminToken` object. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewAdminToken"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCurrentToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `CurrentToken` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentToken"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `TokenRevocation` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenRevocation"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    eraseCustomer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: email
                     * @description The buyer's e-mail address. Case does not matter.
                     */
                    customer_email: string;
                };
            };
        };
        responses: {
            /** @description A `CustomerErasure` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomerErasure"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportCustomer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: email
                     * @description The buyer's e-mail address. Case does not matter.
                     */
                    customer_email: string;
                    /** @description The value of `next` in the previous response. */
                    cursor?: string | null;
                };
            };
        };
        responses: {
            /** @description A `CustomerExport` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomerExport"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    showPortal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The product's slug. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `PortalFront` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalFront"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    requestPortalCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The product's slug. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    email: string;
                };
            };
        };
        responses: {
            /** @description An `Accepted` object. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPortalDownloads: {
        parameters: {
            query?: {
                /** @description Maximum number of licenses; default 100. */
                limit?: number;
                /** @description The position after the previous page, from the `Link` header of the previous response. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The product's slug. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array of `PortalDownload` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalDownload"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changePortalEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The product's slug. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    email: string;
                };
            };
        };
        responses: {
            /** @description An `Accepted` object. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    confirmPortalEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The product's slug. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    email: string;
                    /** @description The code from the mail: 8 digits. Spaces and hyphens are ignored. */
                    code: string;
                };
            };
        };
        responses: {
            /** @description A `PortalAddress` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalAddress"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPortalLicenses: {
        parameters: {
            query?: {
                /** @description Maximum number of licenses; default 100. */
                limit?: number;
                /** @description The position after the previous page, from the `Link` header of the previous response. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The product's slug. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array of `PortalLicense` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalLicense"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    freePortalDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The product's slug. */
                slug: string;
                id: number;
                ref: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `Deactivation` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deactivation"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    mailPortalLicense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The product's slug. */
                slug: string;
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An `Accepted` object. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    mintPortalToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The product's slug. */
                slug: string;
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The text that the app created with `offlineRequest()`. It begins with `LKS1-REQUEST.` */
                    request: string;
                };
            };
        };
        responses: {
            /** @description A `PortalToken` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalToken"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    reissuePortalLicense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The product's slug. */
                slug: string;
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `PortalLicense` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalLicense"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createPortalSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The product's slug. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    email?: string;
                    /** @description The code from the mail: 8 digits. Spaces and hyphens are ignored. */
                    code?: string;
                    token?: string;
                };
            };
        };
        responses: {
            /** @description A `PortalSession` object. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalSession"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    endPortalSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The product's slug. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `PortalSignOut` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalSignOut"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPortal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A `PortalSettings` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalSettings"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setPortal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    enabled?: boolean;
                    /** @description The heading of the portal's page; null or empty: the product's name. */
                    title?: string | null;
                    support_url?: string | null;
                    color?: string | null;
                    /** @description The actions that buyers may perform in the portal. */
                    allow?: ("free_devices" | "reissue" | "change_email" | "offline" | "downloads")[];
                    frees_per_30_days?: number;
                };
            };
        };
        responses: {
            /** @description A `PortalSettings` object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalSettings"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createPortalLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    customer_email: string;
                    /** @description The number of minutes for which the link is valid; default 1,440. */
                    ttl_minutes?: number | null;
                };
            };
        };
        responses: {
            /** @description A `PortalLink` object. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalLink"];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Maximum number of rows to return; default 1,000. */
                limit?: number;
                /** @description The position after the previous page, from the `Link` header of the previous response. */
                cursor?: string;
                /** @description Only entries about this product. */
                product_id?: number;
                /** @description Only entries about this license. */
                license_id?: number;
                /** @description Only entries of this actor. */
                actor?: string;
                /** @description Only entries of this operation, such as `revokeLicense`. */
                action?: string;
                /** @description Only entries at this instant or later. */
                created_after?: string;
                /** @description Only entries before this instant. */
                created_before?: string;
                /** @description Additional fields of each entry. `licenses` adds the current key of the license and the current e-mail address of its buyer. */
                include?: "licenses";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An array of `AuditEntry` objects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntry"][];
                };
            };
            /** @description Internal error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
