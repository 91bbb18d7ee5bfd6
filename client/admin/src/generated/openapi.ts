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
         * Service information
         * @description The name of the service, with links to its documentation, admin page and liveness probe. The links use the address that the request was sent to.
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
         * Liveness probe
         * @description Responds with `ok` while the service is alive. Reads no data.
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
         * This API as an OpenAPI 3.1 document
         * @description The document behind the interactive documentation, derived from the same table as the endpoints themselves.
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
         * @description All products in ascending id order. If there are more, a `Link` header with `rel="next"` points at the next page.
         */
        get: operations["listProducts"];
        put?: never;
        /**
         * Create a product
         * @description Creates a product with its API key for client apps and its Ed25519 key pair for offline tokens. Name and slug are unique.
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
         * @description One product with its API key and public key. The API key is included only for tokens that may see it.
         */
        get: operations["getProduct"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a product
         * @description Changes the given fields only. The slug never changes: it is in tokens and events.
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
         * The product's public key as a JWK set
         * @description The input that a JOSE library needs to verify offline tokens (RFC 7517, RFC 8037).
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
         * @description Gives the product a new API key. The previous one keeps working during the overlap, so that apps in use can be updated. At most two keys work at a time.
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
         * @description The keys of the JWK set, the current one first.
         */
        get: operations["listSigningKeys"];
        put?: never;
        /**
         * Create the next signing key
         * @description Publishes a new key in the JWK set. It signs nothing until it is activated: wait until clients have read the set (5 minutes).
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
         * @description Removes a next or previous key from the JWK set. Clients that follow the set then refuse the tokens that it signed. The current key cannot be deleted (422).
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
         * @description The next key signs from now on, within 60 s in every function. The key that was current becomes a previous key, whose tokens still verify. Activating the current key changes nothing.
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
         * @description Gives the product a new webhook secret. During the overlap, `webhook-signature` carries the signatures of both secrets, the new one first; `X-Svc-Signature` uses the new one only.
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
         * The numbers of all products together
         * @description Licenses by status, and the activity of the last `days` days; with `date` also the activity of that day by product. Days are UTC. Without `date` and `include`, reading it takes the same time for any number of licenses and of products. An event counts once it is settled, usually within seconds, and within two minutes if it is not posted. Days before the service counted these numbers are 0. Downloads, and licenses that expire soon, are only in each product's own overview. A token that is bound to a product gets the numbers of that product.
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
         * A product's numbers
         * @description Licenses by type and status, the activity of the last `days` days, and what expires in the same number of days ahead. Days are UTC. Most numbers are counters, to which the latest 200 events are added on request; reading them takes the same time for any number of licenses. Lapsed and expiring licenses are counted on request. `issued` and `renewed` are 0 on days before the service counted them.
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
         * @description One license type.
         */
        get: operations["getLicenseType"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a license type
         * @description Applies to licenses issued from now on; those that exist keep what they were sold with. The kind never changes. An archived type issues no new licenses. An empty body or an unknown field is refused, because a typing error must not look like a change.
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
         * @description The license types of the product in ascending id order, paged like every list.
         */
        get: operations["listLicenseTypes"];
        put?: never;
        /**
         * Create a license type
         * @description `duration_days` is required for the kinds subscription and trial and refused for the others. The name is unique within the product.
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
         * @description The licenses of every product that match, each with its current activations, the oldest first. Exactly one of the parameters says what to search for: the buyer's address, a key, an order, the fingerprint of a device that is bound now, or with `q` the beginning of any of the first three or of the buyer's name. `q` returns at most 50 licenses, the newest first.
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
         * @description One license with its current activations.
         */
        get: operations["getLicense"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a license
         * @description Changes what is named, and only that. A later expiry, or null, makes an expired license active again. Naming `license_type_id` moves the license to another type of its product, whose terms apply from now on; the expiry and the end of updates stay unless they are named. A revoked license takes only `customer_email`, `language` and `metadata`. An empty body or an unknown field is refused, because a typing error must not look like a change.
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
         * @description Works in every status. The fingerprint is percent-encoded; one that no device can have is 422.
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
         * @description The notes of the license, newest first.
         */
        get: operations["listNotes"];
        put?: never;
        /**
         * Write a note on a license
         * @description A note is for operators only. It does not change the license, does not raise its `sequence`, and sends no event. Apps and buyers never see it, but the export of a buyer’s data includes it.
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
         * @description Removes the note for good. A note that does not exist is 404.
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
         * Mint an offline token
         * @description For devices without a network. Lives `ttl_days` (default 30), and never past the license's own expiry. With a `fingerprint` the device is activated (it takes a seat, and `license.activated` is sent) and the token is bound to it; without, it is bound to no device.
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
         * List why a license was refused
         * @description The last requests of apps that were refused for this license, newest first: at most 20, kept 30 days. Repeated requests of one device for the same reason within an hour are one row.
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
         * @description A suspended license becomes active again; an expiry that has passed meanwhile is noticed by the next check. For any other license nothing changes.
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
         * @description For a key that has leaked. The license keeps its id, history and terms; every seat is freed, and the old key is refused from now on like that of a revoked license.
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
         * Push the expiry of a license forward
         * @description Without a body, adds the license type's `duration_days` to the later of now and the present expiry; `days` or `expires_at` override that. An expired license becomes active again. The expiry never moves back.
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
         * Push the end of updates forward
         * @description Without a body, adds the license type's `updates_days` to the later of now and `updates_until`; `days` or `until` override that. Neither the status nor the expiry changes. The end of updates never moves back.
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
         * @description Unbinds every device. The status stays as it is, and new devices can bind at once. `new_devices: true` also clears the count of new devices.
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
         * @description Revokes the license for good, for example after a refund. Later activations and validations fail; offline tokens issued before work until the client revalidates. Repeating it changes nothing.
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
         * @description Pauses an active or expired license: activations and validations are refused until it is reinstated. Freeing seats, renewing, revoking and reissuing still work. Repeating it changes nothing.
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
         * @description The licenses of the product, each with its current activations, in ascending id order unless `direction` asks for the newest first. Filters combine. A filtered page may be short, or empty, and still carry a `Link` to the next: follow it until there is none. A key, an order, a buyer and a range of expiry are looked up. A status and a type are found by walking through the index of the product’s licenses, `seats` and the time of issue by reading one license after another, up to 10,000 for a page. The status is the stored one: expiry is noticed only when an activation or a validation checks the license.
         */
        get: operations["listLicenses"];
        put?: never;
        /**
         * Issue a license
         * @description Issues a license with a fresh key. It expires after its type's `duration_days`, or at `expires_at` if that is given, or never.
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
         * List requests with unknown keys
         * @description The last requests of apps whose key no license of the product has, newest first: at most 200, kept 30 days. Refusals of a license are in the list of the license.
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
         * @description Binds the fingerprint to the license and takes a seat. A fingerprint that is bound already takes none and gets a fresh offline token; a changed name or platform is stored.
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
         * @description Names the device by its fingerprint, or by a ref from the list of devices. Idempotent: `freed` says whether a seat was freed now. Works on revoked and expired licenses too.
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
         * @description For an app whose user has a new device while an old one still holds the seat: the bound devices, newest first. 404 unless the product has `list_devices` set, because device names are personal data.
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
         * @description Issues a license of the self-service type of the product and activates it on the device: 201. Once for each product and device, for ever: asked again it returns the same license (200) while that is good, and takes a freed seat again. 404 if the product offers no trial. 429 if 5 trials of the product were started with the same `customer_email` within 24 hours.
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
         * @description Says whether the license is valid now. `device` and a fresh `offline_token` are present if the fingerprint is bound to it. The response to an unknown key is `{"valid": false, "status": "invalid"}`.
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
         * Who may download
         * @description Who may download the files of the product's releases.
         */
        get: operations["getDownloads"];
        put?: never;
        /**
         * Set who may download
         * @description With `public`, releases that require features are offered to nobody. Takes effect everywhere within 60 s.
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
         * @description The newest version first, by the order of Semantic Versioning. A filtered page may be short, or empty, and still carry a `Link` to the next.
         */
        get: operations["listReleases"];
        put?: never;
        /**
         * Create a release
         * @description Creates a draft. It is offered to nobody until it is published. The version is unique within the product; build metadata is ignored in the comparison. A product has at most 2,000 releases.
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
         * @description One release with its files.
         */
        get: operations["getRelease"];
        put?: never;
        post?: never;
        /**
         * Delete a draft
         * @description Deletes a draft with its files. A published release cannot be deleted, only yanked.
         */
        delete: operations["deleteRelease"];
        options?: never;
        head?: never;
        /**
         * Change a release
         * @description Changes the given fields only: `notes` and `features` at any time; `channel`, `released_at` and `build` only of a draft (409 `published` later). An empty body or an unknown field is refused.
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
         * @description Declares a file and returns where to upload it: send the file with `upload.method` to `upload.url`, with `upload.headers` and its length in `Content-Length`, within 60 minutes. A file that differs from the declaration is refused there. Names are unique within a release, which has at most 50 files. Hashes are hex in lower case.
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
         * @description Deletes the file. Its name can then be used again.
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
         * @description From now on the release is offered to the licenses that cover it. 422 if it has no file, or if a file was not uploaded with the declared size and hash; then nothing is published. Publishing again does nothing.
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
         * @description Reverses a yank. Has no effect on a release that is not yanked; a draft is 409 `not_published`.
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
         * @description From now on the release is neither offered nor downloadable; existing download links stop working within 5 minutes. Yanking again does nothing; a draft is 409 `not_published`.
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
         * Feed for electron-updater
         * @description For its provider `generic`: `latest.yml` (Windows), `latest-mac.yml`, `latest-linux.yml`, `latest-linux-arm64.yml`, and the same with the channel's name for `latest`. The license is named by its key in `X-License-Key`, or by an offline token in `X-License-Token`; a product whose downloads are public needs neither. A license that is revoked, suspended or expired gets 403 with the code of its status. 404 if there is nothing to offer.
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
         * @description Redirects to a link that can be opened for 5 minutes; the store that it leads to supports ranges. The license is named by its key in `X-License-Key`, or by an offline token in `X-License-Token`; a product whose downloads are public needs neither. A license that is revoked, suspended or expired gets 403 with the code of its status. 404 for every file that the license may not have.
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
         * Appcast for Sparkle
         * @description `stable.xml`, `beta.xml` and the like: one item for each platform that has an offer. The license is named by its key in `X-License-Key`, or by an offline token in `X-License-Token`; a product whose downloads are public needs neither. A license that is revoked, suspended or expired gets 403 with the code of its status.
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
         * Feed for Tauri's updater
         * @description The response of a dynamic update server: 204 if nothing newer than `current_version` is offered. Only files with a signature are. The license is named by its key in `X-License-Key`, or by an offline token in `X-License-Token`; a product whose downloads are public needs neither. A license that is revoked, suspended or expired gets 403 with the code of its status.
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
         * The newest release that a license covers
         * @description The license is named by its key in `X-License-Key`, or by an offline token in `X-License-Token`; a product whose downloads are public needs neither. A license that is revoked, suspended or expired gets 403 with the code of its status. A license key also needs `X-API-Key`. Candidates are the releases of the channel and of those above it in stability: `alpha` includes beta and stable, `beta` includes stable, another channel includes stable. A file for `any` platform, or for the architecture `any` or `universal`, fits every device.
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
         * @description Redirects to a link that can be opened for 5 minutes; the store that it leads to supports ranges. The license is named by its key in `X-License-Key`, or by an offline token in `X-License-Token`; a product whose downloads are public needs neither. A license that is revoked, suspended or expired gets 403 with the code of its status. 404 for every file that the license may not have.
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
         * @description One event with its payload and its attempts.
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
         * @description Starts a new round of attempts with the same id and the same bytes. An event that is still pending stays as it is. Sending a delivered mail again counts towards the limit of *Mail a license key*: 429 beyond it.
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
         * @description The events of the license in the last 30 days and how each was delivered, newest first, paged like every list.
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
         * @description The events of the last 30 days and how their delivery went, newest first. A filtered page may be short, or empty, and still carry a `Link` to the next.
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
         * @description Starts a new round of attempts for every event of the product that ended in `status` and was created in the period, oldest first: the same ids and the same bytes. At most 10,000 events: call it again for more. The response has their number; the deliveries continue in the background.
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
         * @description The URL (empty if none is set), and the secret that signs deliveries, for tokens that may see it.
         */
        get: operations["getWebhook"];
        put?: never;
        /**
         * Set or clear the product's webhook
         * @description Events are posted to this URL from now on, including pending ones. The empty string clears the URL. Events without a URL, and those that are not in `events`, are logged as `skipped`. The secret stays the same.
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
         * @description Sends `webhook.test` to the URL, signed and retried like every event. 422 if no URL is set.
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
         * @description One connection.
         */
        get: operations["getPaymentConnection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a payment connection
         * @description Changes the given fields only. The processor never changes.
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
         * @description Reads the events since the last reconciliation, with an overlap of a day, from the processor's API and processes them like notifications. Runs in the background; it also runs automatically every hour. Needs an `api_key`.
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
         * @description One notification and its effect.
         */
        get: operations["getPayment"];
        put?: never;
        /**
         * Receive a notification of a payment processor
         * @description The endpoint behind a connection's `url`. The credential is the URL together with the processor's signature over the body. The service responds after everything is committed. A fault is 503 and commits nothing, so that the processor sends the notification again.
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
         * @description For use after a plan was added or a license type is no longer archived. Has an effect only on notifications that are held or waiting.
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
         * @description The connections of the product, by id.
         */
        get: operations["listPaymentConnections"];
        put?: never;
        /**
         * Connect a payment processor
         * @description A connection is one account of one processor that sells the product. Enter its `url` at the processor. A product has at most 20 connections. They can be disabled, but not deleted.
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
         * The payments log
         * @description The notifications of the processors and their effects, newest first. Kept 90 days. With `Accept: text/csv`, the rows for an accountant.
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
         * @description At most 1,000 in one call.
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
         * The keys of a purchase, for a thank-you page
         * @description Available for 24 hours after the licenses were issued. Shows a license only while it is active and still has the key that was issued for the order: not after a reissue, a refund or a suspension. If there is nothing to show, the status is `pending`. Accepts only those ids of an order that nobody can guess.
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
         * @description Mails the license's key to its `customer_email`, whether or not the product mails keys automatically. 422 if mail is not configured, or the license has no address. Within an hour at most 5 such mails for one license and 3 to one address of the product; beyond that 429. Automatic mails are not counted and never refused.
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
         * Is mail configured?
         * @description True if a from-address and a transport (Amazon SES or an SMTP server) are set. No password is ever shown.
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
         * @description Sends a real message through the configured transport and reports the result: 422 if none is configured, 502 with the reason if it fails.
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
         * @description Whether keys are mailed automatically, the text of that mail, and the reminders.
         */
        get: operations["getMailSettings"];
        put?: never;
        /**
         * Change the product's mail settings
         * @description Changes the given fields only; `reminders` is replaced as a whole. null sets a field back to its default. An unknown placeholder is 422. A new reminder sends nothing for dates that have passed.
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
         * @description The mail with a key, or a reminder, as its reader would see it: with the data of a license, or with made-up data. It sends and changes nothing. Texts that are not given are those of the settings, so that a text can be tried before it is saved.
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
         * @description The address in the `List-Unsubscribe` header of a reminder. It shows a page with a button, and changes nothing: programs that check links open it too.
         */
        get: operations["showUnsubscribe"];
        put?: never;
        /**
         * End the reminders of a product to an address
         * @description Ends all reminders of the product to the address that the token is for. Mail programs call it as RFC 8058 says (one-click unsubscribe), and the page with its button. The body is not read. Mails with keys and codes are still sent.
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
         * @description The tokens that were not revoked, including expired ones, in ascending id order, paged like every list.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create an admin token
         * @description `token` is shown only in this response. With `product_id` the token can see and change that product only: resources of other products are 404, and resources of no product are 403.
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
         * @description Shows the scopes and limits of the admin token that the request carries. Every admin token may call it.
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
         * @description The token is refused everywhere within 60 s.
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
         * @description Removes an address and what is stored with it: address and metadata of the licenses, names and platforms of their devices, the notes on them, the record of refused requests, bodies of their events and mails, stored responses of idempotent requests, and what payment processors reported. Sessions, codes and links of the portal end. The address is also removed from trials that were started with it. Licenses and keys stay valid, and no payment processor fills the address in again. An event that is still pending is delivered first: `complete` is then false, and the rest is removed within minutes. It does a limited amount of work: if `complete` is false, the next call continues where it stopped.
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
         * @description Everything that is stored about an address: the licenses with their devices, the notes on them, why apps were refused, the events about them and the mails that were sent, and what payment processors reported. An unknown address is not an error: the lists are empty. Trials whose address nobody has verified are not included. If `next` is not null, there is more: send it as `cursor`.
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
         * @description How the page looks and what it offers. 404 unless the product has enabled its portal.
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
         * @description Mails a code and a link to the address, if it owns a license of the product. The response is the same for every address, and as fast. At most 3 such mails in 10 minutes for one address; further requests change nothing. The mail is in German or English, by `Accept-Language`.
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
         * @description For each active license of the buyer the newest release of the channel `stable` that it covers and has the features for; none for a license that covers none. The licenses are those of the same page of the list of licenses.
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
         * Change the address: request a code
         * @description Mails a code to the new address and a notice to the present one. The response is the same for every address.
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
         * Change the address: enter the code
         * @description Moves all licenses of the buyer in this product to the new address. This session continues under it; the buyer’s other sessions end. Only the session that requested the code can confirm it; a wrong code is 401.
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
         * @description The licenses of the product with the address of the session, newest first, in pages of at most 100, each with its devices.
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
         * @description Works in every status. An unknown `ref` frees nothing. 429 `too_many_frees` if the buyer has freed as many devices of this license within 30 days as the product's portal allows.
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
         * @description Mails the key to the address of the session: at most 3 times within 24 hours for one license.
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
         * License a device that is never online
         * @description Takes the text of the app's `offlineRequest()`, binds that device like an activation, and returns the text for its `importToken()`.
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
         * @description The license gets a new key, and every seat is freed. The previous key is refused from now on.
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
         * @description With the address and the code of the mail, or with the `token` of a link. Each works once. After 5 wrong attempts for an address its code is dead. Every refusal is the same 401.
         */
        post: operations["createPortalSession"];
        /**
         * Sign out
         * @description Ends the session of the header `X-Portal-Session`. Without a live session nothing happens.
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
         * @description The page on which buyers see their licenses, free devices and recover keys.
         */
        get: operations["getPortal"];
        put?: never;
        /**
         * Change the settings of the product's portal
         * @description Changes the given fields only. Disabling the portal ends all sessions, codes and links.
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
         * Create a link that signs a buyer in
         * @description For a vendor's own site, where the buyer has signed in already, or for a mail of the support. It works once. 404 if the address has no license of the product, 422 while the portal is off. At most 20 links of one buyer live at a time; a further one ends the oldest.
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
         * @description Who did what, newest first: one entry for every successful write of an operator and for every change of a license by a payment processor; none for refused or repeated writes. Filters combine. A filtered page may be short, or empty, and still carry a `Link` to the next. Kept 400 days.
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
            /** @description What the buyer may use, sorted. */
            features: string[];
            updates: components["schemas"]["Updates"];
            /** @description A compact JWS (EdDSA) bound to the fingerprint; verify it with the product's public key to work offline. */
            offline_token: string;
        };
        AdminToken: {
            id: number;
            name: string;
            scopes: components["schemas"]["Scope"][];
            /** @description The only product that the token can see and change; null: all products. */
            product_id: number | null;
            /** @description The token is refused from this moment on; null: it never expires. */
            expires_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description The last day (UTC) on which it was used; null if it was never used. */
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
            /** @description 32 hex digits. */
            id: string;
            /** Format: date-time */
            at: string;
            /** @description `deployment` for the deployment's own token, the id of another token, or `processor:` and the name of a payment processor. */
            actor: string;
            /** @description The actor's name at that time. */
            actor_name: string;
            /** @description The name of the operation, such as `revokeLicense`. */
            action: string;
            /** @description Null if it concerned no product, or several. */
            product_id: number | null;
            license_id: number | null;
            /** @description Only with `include=licenses`: the present key of the license; null if there is none. */
            license_key?: string | null;
            /** @description Only with `include=licenses`: the present buyer of the license; null if there is none. */
            customer_email?: string | null;
            /** @description What was changed, such as `license/17`; for a buyer's address its hash. */
            target: string | null;
            /** @description A summary of the change, with the names of the fields that changed. */
            summary: string;
            /** @description The old and new values of a license or license type, as text, for fields that are neither secret nor about the buyer. Empty for entries without such a field. */
            changes: {
                field: string;
                before: string | null;
                after: string | null;
            }[];
            /** @description The `X-Request-Id` of the response; null if there was no request. */
            request_id: string | null;
            source_ip: string | null;
            user_agent: string | null;
        };
        BulkRedelivery: {
            /** @description Number of events that are sent again. */
            count: number;
        };
        ClientLicense: {
            id: number;
            /** @description The license key. */
            key: string;
            status: components["schemas"]["LicenseStatus"];
            /** @description From this moment on the license is expired; null if it never expires. */
            expires_at: string | null;
            license_type: {
                name: string;
                kind: components["schemas"]["LicenseKind"];
            };
        };
        CurrentToken: {
            /** @description `deployment`, or the token's id, as in the audit log. */
            actor: string;
            name: string;
            scopes: components["schemas"]["Scope"][];
            /** @description The only product that the token can see and change; null: all products. */
            product_id: number | null;
        };
        CustomerErasure: {
            /** @description Number of licenses from which this call erased the address and metadata. */
            licenses: number;
            /** @description Number of events that are delivered first; their bodies are erased afterwards. */
            pending_events: number;
            /** @description True: nothing is left. False: call again, after pending events have been delivered. */
            complete: boolean;
        };
        CustomerExport: {
            customer_email: string;
            licenses: components["schemas"]["License"][];
            /** @description The notes of operators on the licenses: those of one license newest first. */
            notes: {
                license_id: number;
                /** @description 24 hex digits. */
                id: string;
                text: string;
                /** Format: date-time */
                at: string;
                /** @description `deployment`, or the id of the admin token that wrote it. */
                actor: string;
                actor_name: string;
            }[];
            /** @description Refused requests of apps about the licenses. */
            refusals: components["schemas"]["Refusal"][];
            /** @description The events about the licenses: those of one license newest first, as the delivery log shows them. */
            events: components["schemas"]["Delivery"][];
            /** @description The rows of the payments log. */
            payments: components["schemas"]["Payment"][];
            /** @description Number of stored rows that could not be read and are missing in this response; absent if there are none. */
            unreadable?: number;
            /** @description Cursor of the next part; null: there is no more. */
            next: string | null;
        };
        Deactivation: {
            /** @description True when this request freed a seat. */
            freed: boolean;
        };
        Deletion: {
            /** @constant */
            deleted: true;
        };
        Delivery: {
            /** @description Id of the event, 32 hex digits: the same in every attempt. */
            id: string;
            /** @enum {string} */
            event: "license.created" | "license.activated" | "license.deactivated" | "license.reset" | "license.revoked" | "license.expired" | "license.renewed" | "license.updated" | "license.suspended" | "license.reinstated" | "license.reissued" | "license.expiring" | "license.seats_exhausted" | "license.updates_renewed" | "license.updates_expiring" | "release.published" | "release.yanked" | "webhook.test" | "license.key_mailed" | "license.reminded" | "portal.code_mailed" | "portal.address_code_mailed" | "portal.address_notice_mailed" | "portal.key_mailed";
            /** @enum {string} */
            channel: "webhook" | "mail";
            product_id: number;
            /** @description Null for `webhook.test`. */
            license_id: number | null;
            /** @description Who asked for the change: the name of an admin token or payment connection, or `buyer`. Absent if an app or the service itself caused it. */
            by?: string;
            /** @description The URL or address of the last attempt, or before it the one that the first will use. */
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
            /** @description The body that is sent; for a mail, the licenses that it is about. */
            payload: components["schemas"]["LoggedEvent"];
            /** @description The last 50 attempts, the oldest first. */
            history: components["schemas"]["DeliveryAttempt"][];
        };
        DeliveryAttempt: {
            /** @description Counts all attempts of the event, including those of redeliveries. */
            attempt: number;
            /** Format: date-time */
            at: string;
            /** @description HTTP status of the response, or the reply code of the mail server; null if there was none. */
            status: number | null;
            /** @description Why it failed; null if it was accepted. */
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
            /** @description The last days, the oldest first and today last. */
            days: {
                /** Format: date */
                date: string;
                /** @description Licenses that were issued, imported ones included. */
                issued: number;
                /** @description Renewals: the expiry was pushed forward. */
                renewed: number;
                /** @description Devices that took a seat. */
                activations: number;
                /** @description Events that the webhook accepted. */
                delivered: number;
                /** @description Events whose last attempt failed. */
                failed: number;
                /** @description Events for which no webhook URL was set. */
                skipped: number;
            }[];
            /** @description Only with `date`: the products that have any of these numbers on that day, those with the highest numbers first; at most 10000. Numbers are kept for about 100 days. */
            products?: {
                product_id: number;
                /** @description Licenses that were issued, imported ones included. */
                issued: number;
                /** @description Renewals: the expiry was pushed forward. */
                renewed: number;
                /** @description Events whose last attempt failed. */
                failed: number;
            }[];
            /** @description Only with `include=attention`: the products that have any of these numbers, those with the most held sales first, then those with the most failures; at most 100. */
            attention?: {
                product_id: number;
                /** @description Null if the product cannot be read. */
                name: string | null;
                /** @description Events whose last attempt failed, in the last 30 days. */
                failed_deliveries: number;
                /** @description Mails whose last attempt failed, in the last 30 days. */
                failed_mails: number;
                /** @description Orders with a row of the payments log that is `held`. At most 1000 such rows of all products are read. */
                held_sales: number;
            }[];
        };
        Device: {
            /** @description The fingerprint; a hex string is in lower case. */
            fingerprint: string;
            /** @description The platform that the client sent, for example the operating system; may be empty. */
            platform: string;
            /** @description A label for people; may be empty. */
            name: string;
            /**
             * Format: date-time
             * @description When the device was bound.
             */
            activated_at: string;
            /** @description The device keeps its seat at least until then; null: until it is freed. */
            lease_expires_at: string | null;
            /** @description The UTC day of its last activation or validation; null: not known. */
            last_seen_on: string | null;
        };
        Downloads: {
            /**
             * @description `licensed`: with a license that covers the release. `public`: everybody, without a credential.
             * @enum {string}
             */
            access: "licensed" | "public";
        };
        Error: {
            /** @description What went wrong, for a person to read. */
            detail: string;
        };
        Event: {
            /** @description Id of the event, 32 hex digits. It is the same in every attempt, so that receivers can discard duplicates. */
            id: string;
            /** @enum {string} */
            event: "license.created" | "license.activated" | "license.deactivated" | "license.reset" | "license.revoked" | "license.expired" | "license.renewed" | "license.updated" | "license.suspended" | "license.reinstated" | "license.reissued" | "license.expiring" | "license.seats_exhausted" | "license.updates_renewed" | "license.updates_expiring" | "release.published" | "release.yanked" | "webhook.test";
            /** @description When it happened: date and time with a space between, milliseconds, and a UTC offset. */
            timestamp: string;
            data: {
                /** @description The product's slug. */
                product: string;
                /** @description Absent in `webhook.test` and in the events of releases. */
                license?: components["schemas"]["EventLicense"];
                /** @description Present in the events of releases. */
                release?: components["schemas"]["EventRelease"];
                /** @description Present when a device was bound or freed. */
                device?: components["schemas"]["Device"];
                /** @description Why a device was freed: `lease_ended`, or `replaced` by another device. */
                reason?: string;
                /** @description The key that `license.reissued` replaced. */
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
            /** @description Id of the product it belongs to. */
            product_id: number;
            /** @description The license key. */
            key: string;
            status: components["schemas"]["LicenseStatus"];
            /** @description From this moment on the license is expired; null if it never expires. */
            expires_at: string | null;
            /** @description The term that starts with the first activation; null if none waits for it. */
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
                /** @description Days from issue to expiry; null for the kinds `lifetime` and `floating`. */
                duration_days: number | null;
                /** @description What the buyer may use, sorted. */
                features: string[];
                /** @description For the kind floating: minutes that a device keeps its seat after each check; null: until it is freed. */
                lease_minutes: number | null;
                /** @description Maximum number of new devices that may take a seat of one license within 7 days; 0 means unlimited. */
                new_devices_per_week: number;
                /** @description Days of updates from the start of the term; null: no end. */
                updates_days: number | null;
                /** @description Releases up to this major version are covered; null: no such limit. */
                max_major: number | null;
                /**
                 * @description When the term starts: when the license is issued, or with its first activation (kinds subscription and trial).
                 * @enum {string}
                 */
                starts: "creation" | "activation";
                /** @description An expired license may still download what was released before its expiry. */
                downloads_when_expired: boolean;
            };
            seats: components["schemas"]["Seats"];
            /** @description What the buyer may use, sorted. */
            features: string[];
            /** @description The buyer's address. Clients never see it. */
            customer_email: string | null;
            /** @description The language of its mails; null: the product's. */
            language: ("en" | "de") | null;
            metadata: components["schemas"]["Metadata"];
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description When it was revoked; null when it is not. */
            revoked_at: string | null;
            /** @description The reason that the operator gave. */
            revoked_reason: string | null;
            /** @description When it was suspended; null when it is not. */
            suspended_at: string | null;
            /** @description The reason that the operator or the processor gave. */
            suspended_reason: string | null;
            /** @description `operator`, or the name of a payment processor. */
            suspended_by: string | null;
            /** @description The cause of the suspension, which lasts until the cause ends. */
            suspended_cause: ("operator" | "payment" | "pause" | "dispute") | null;
            /** @description The payment processor's order that the license was issued for. */
            order: components["schemas"]["LicenseOrder"] | null;
            /** @description Number of devices that took a seat for the first time within 7 days, and the time of the first of them. */
            new_devices: {
                count: number;
                since: string | null;
            };
            /** @description Rises by one with every change of the license: order events by it. */
            sequence: number;
        };
        EventRelease: {
            id: number;
            /** @description Id of the product it belongs to. */
            product_id: number;
            version: string;
            channel: string;
            /** @enum {string} */
            status: "draft" | "published" | "yanked";
            notes: string | null;
            /** @description The date that decides which licenses cover the release; null in a draft: the time of publishing. */
            released_at: string | null;
            /** @description Features that a license must have to get the release, sorted. */
            features: string[];
            build: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            published_at: string | null;
            /** @description When it was yanked (withdrawn from all users); null if it is not yanked. */
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
                /** @description Thumbprint of the key (RFC 7638); the `kid` of its tokens. */
                kid: string;
                /** @constant */
                use: "sig";
                /** @constant */
                alg: "EdDSA";
            }[];
        };
        License: {
            id: number;
            /** @description Id of the product it belongs to. */
            product_id: number;
            /** @description The license key. */
            key: string;
            status: components["schemas"]["LicenseStatus"];
            /** @description From this moment on the license is expired; null if it never expires. */
            expires_at: string | null;
            /** @description The term that starts with the first activation; null if none waits for it. */
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
                /** @description Days from issue to expiry; null for the kinds `lifetime` and `floating`. */
                duration_days: number | null;
                /** @description What the buyer may use, sorted. */
                features: string[];
                /** @description For the kind floating: minutes that a device keeps its seat after each check; null: until it is freed. */
                lease_minutes: number | null;
                /** @description Maximum number of new devices that may take a seat of one license within 7 days; 0 means unlimited. */
                new_devices_per_week: number;
                /** @description Days of updates from the start of the term; null: no end. */
                updates_days: number | null;
                /** @description Releases up to this major version are covered; null: no such limit. */
                max_major: number | null;
                /**
                 * @description When the term starts: when the license is issued, or with its first activation (kinds subscription and trial).
                 * @enum {string}
                 */
                starts: "creation" | "activation";
                /** @description An expired license may still download what was released before its expiry. */
                downloads_when_expired: boolean;
            };
            seats: components["schemas"]["Seats"];
            /** @description What the buyer may use, sorted. */
            features: string[];
            /** @description The buyer's address. Clients never see it. */
            customer_email: string | null;
            /** @description The language of its mails; null: the product's. */
            language: ("en" | "de") | null;
            metadata: components["schemas"]["Metadata"];
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description When it was revoked; null when it is not. */
            revoked_at: string | null;
            /** @description The reason that the operator gave. */
            revoked_reason: string | null;
            /** @description When it was suspended; null when it is not. */
            suspended_at: string | null;
            /** @description The reason that the operator or the processor gave. */
            suspended_reason: string | null;
            /** @description `operator`, or the name of a payment processor. */
            suspended_by: string | null;
            /** @description The cause of the suspension, which lasts until the cause ends. */
            suspended_cause: ("operator" | "payment" | "pause" | "dispute") | null;
            /** @description The payment processor's order that the license was issued for. */
            order: components["schemas"]["LicenseOrder"] | null;
            /** @description Number of devices that took a seat for the first time within 7 days, and the time of the first of them. */
            new_devices: {
                count: number;
                since: string | null;
            };
            /** @description The devices bound now. */
            activations: components["schemas"]["Device"][];
        };
        LicenseDevice: {
            /** @description Identifies the device within its license; opaque, and not a fingerprint. */
            ref: string;
            name: string;
            platform: string;
            /** Format: date-time */
            activated_at: string;
            last_seen_on: string | null;
            /** @description Whether it is the device with the fingerprint of the request. */
            this: boolean;
        };
        /**
         * @description Licenses of the kinds `subscription` and `trial` run out; the others never do unless an expiry is given.
         * @enum {string}
         */
        LicenseKind: "lifetime" | "subscription" | "floating" | "trial";
        LicenseOrder: {
            /** @enum {string} */
            processor: "stripe" | "paddle" | "lemonsqueezy" | "polar" | "gumroad";
            connection_id: number;
            /** @description The id that the buyer sees. */
            order_id: string;
            subscription_id: string | null;
            /** @description The processor's id of the product or price that was sold. */
            ref: string | null;
            line: string | null;
            /** @description True for a sale in the test mode of the processor. */
            test: boolean;
        };
        /**
         * @description The stored status. An expiry is recorded only when an activation or a validation checks the license.
         * @enum {string}
         */
        LicenseStatus: "active" | "suspended" | "expired" | "revoked";
        LicenseType: {
            id: number;
            /** @description Id of the product it belongs to. */
            product_id: number;
            name: string;
            kind: components["schemas"]["LicenseKind"];
            /** @description Maximum number of devices at a time; 0 means unlimited. */
            max_seats: number;
            /** @description Days from issue to expiry; null for the kinds `lifetime` and `floating`. */
            duration_days: number | null;
            /** @description What the buyer may use, sorted. */
            features: string[];
            /** @description For the kind floating: minutes that a device keeps its seat after each check; null: until it is freed. */
            lease_minutes: number | null;
            /** @description Maximum number of new devices that may take a seat of one license within 7 days; 0 means unlimited. */
            new_devices_per_week: number;
            /** @description Days of updates from the start of the term; null: no end. */
            updates_days: number | null;
            /** @description Releases up to this major version are covered; null: no such limit. */
            max_major: number | null;
            /**
             * @description When the term starts: when the license is issued, or with its first activation (kinds subscription and trial).
             * @enum {string}
             */
            starts: "creation" | "activation";
            /** @description An expired license may still download what was released before its expiry. */
            downloads_when_expired: boolean;
            /** @description Client apps may issue themselves a license of this type: a trial without a key. */
            self_service: boolean;
            /** @description No new licenses of this type are issued. */
            archived: boolean;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        ListedProduct: {
            id: number;
            name: string;
            /** @description Short name; the audience (`aud`) of offline tokens and the `product` of events. */
            slug: string;
            /** @description The credential of client apps (`X-API-Key`). Absent for tokens below the scope `manage`. */
            api_key?: string;
            /** @description Ed25519 public key, SubjectPublicKeyInfo PEM; verifies offline tokens. */
            public_key: string;
            /** @description Whether apps may list the devices of a license. */
            list_devices: boolean;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description Only with `include=numbers`. An event counts once it is settled, usually within seconds, at most two minutes. */
            numbers?: components["schemas"]["ProductNumbers"];
            /** @description Only with `include=expiring`. */
            expiring?: components["schemas"]["ProductExpiring"];
        };
        LoggedEvent: {
            /** @description Id of the event, 32 hex digits. It is the same in every attempt, so that receivers can discard duplicates. */
            id: string;
            /** @enum {string} */
            event: "license.created" | "license.activated" | "license.deactivated" | "license.reset" | "license.revoked" | "license.expired" | "license.renewed" | "license.updated" | "license.suspended" | "license.reinstated" | "license.reissued" | "license.expiring" | "license.seats_exhausted" | "license.updates_renewed" | "license.updates_expiring" | "release.published" | "release.yanked" | "webhook.test" | "license.key_mailed" | "license.reminded" | "portal.code_mailed" | "portal.address_code_mailed" | "portal.address_notice_mailed" | "portal.key_mailed";
            /** @description When it happened: date and time with a space between, milliseconds, and a UTC offset. */
            timestamp: string;
            data: {
                /** @description The product's slug. */
                product: string;
                /** @description Absent in `webhook.test` and in the events of releases. */
                license?: components["schemas"]["EventLicense"];
                /** @description Present in the events of releases. */
                release?: components["schemas"]["EventRelease"];
                /** @description Present when a device was bound or freed. */
                device?: components["schemas"]["Device"];
                /** @description Why a device was freed: `lease_ended`, or `replaced` by another device. */
                reason?: string;
                /** @description The key that `license.reissued` replaced. */
                previous_key?: string;
                /** @description The licenses that a mail is about. */
                license_ids?: number[];
                /** @description Present in a reminder: what it is about, and the expiry or end of updates for which it was sent. */
                reminder?: {
                    /**
                     * @description `expiring`: before the expiry. `expired`: after it. `updates_expiring`: before the end of updates.
                     * @enum {string}
                     */
                    event: "expiring" | "expired" | "updates_expiring";
                    /** @description Number of days between the reminder and the date that it is about. */
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
            /** @description Every license that is created with a buyer's address is mailed to that address, except trials. */
            send_keys: boolean;
            /** @description The address for replies; null: the from-address. */
            reply_to: string | null;
            subject: string;
            /** @description The mail with the keys as plain text. Placeholders: {{product}}, {{license_type}}, {{keys}}, {{expires_at}}, {{seats}}, {{order}}, {{portal}}. */
            text: string;
            /**
             * @description The language of the default texts and of dates. A license may have its own.
             * @enum {string}
             */
            language: "en" | "de";
            /** @description The page for renewals, to which reminders lead. `{{key}}`, `{{order}}` and `{{license_id}}` are filled in and percent-encoded. */
            renew_url: string | null;
            /** @description Mails before and after the expiry of a license, or before its updates end. */
            reminders: components["schemas"]["Reminder"][];
        };
        MailStatus: {
            configured: boolean;
            from: string | null;
        };
        /** @description Anything the operator wants to keep with the license: at most 16 KB as JSON, at most 20 levels deep. A number that would lose digits is refused; send it as text. Clients never see it. */
        Metadata: {
            [key: string]: unknown;
        };
        NewAdminToken: {
            id: number;
            name: string;
            scopes: components["schemas"]["Scope"][];
            /** @description The only product that the token can see and change; null: all products. */
            product_id: number | null;
            /** @description The token is refused from this moment on; null: it never expires. */
            expires_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description The last day (UTC) on which it was used; null if it was never used. */
            last_used_on: string | null;
            /** @description The token, for `X-Svc-Admin-Token`. Shown only this once: the service keeps only a hash of it. */
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
            /** @description Thumbprint of the key (RFC 7638). */
            kid: string;
            /** @description Ed25519 public key, SubjectPublicKeyInfo PEM. */
            public_key: string;
            /**
             * @description `next`: published, but signs nothing yet. `current`: signs. `previous`: no longer signs; its tokens still verify.
             * @enum {string}
             */
            status: "current" | "next" | "previous";
        };
        Note: {
            /** @description 24 hex digits. */
            id: string;
            text: string;
            /** Format: date-time */
            at: string;
            /** @description `deployment`, or the id of the admin token that wrote it. */
            actor: string;
            actor_name: string;
        };
        NoteDeletion: {
            /** @constant */
            deleted: true;
        };
        Offer: {
            /** @description The newest release that the license covers and has the features for; null if it is not above `version`. */
            update: {
                version: string;
                channel: string;
                /** Format: date-time */
                released_at: string;
                notes: string | null;
                artifacts: components["schemas"]["OfferedArtifact"][];
            } | null;
            /** @description The newest release that the license has the features for: if it is not covered, the app can offer a renewal. */
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
            /** @description Needs the same headers as this request. */
            url: string;
        };
        OfflineToken: {
            /** @description A compact JWS (EdDSA). */
            token: string;
        };
        OpenApiDocument: {
            openapi: string;
        } & {
            [key: string]: unknown;
        };
        Overview: {
            /** @description By license type, in ascending id order; types without a license are absent. */
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
                /** @description Active licenses whose expiry has passed but was not noticed yet, because no activation or validation has checked them since. At most 1000. */
                lapsed: number;
                /** @description Active licenses that expire within 30 days. At most 1000. */
                expiring: number;
                /** @description True if the real number for `lapsed` or `expiring` may be higher. */
                capped: boolean;
            }[];
            /** @description The last days, the oldest first and today last. */
            days: {
                /** Format: date */
                date: string;
                /** @description Licenses that were issued, imported ones included. */
                issued: number;
                /** @description Renewals: the expiry was pushed forward. */
                renewed: number;
                /** @description Devices that took a seat. */
                activations: number;
                /** @description Events that the webhook accepted. */
                delivered: number;
                /** @description Events whose last attempt failed. */
                failed: number;
                /** @description Events for which no webhook URL was set. */
                skipped: number;
                /** @description Downloads of files of releases; a download that is continued counts once. */
                downloads: number;
            }[];
            /** @description The same number of days ahead, today first. */
            expiring_days: {
                /** Format: date */
                date: string;
                /** @description Active licenses that expire on this day; for today: from now on. */
                expiring: number;
                /** @description True if there may be more: the expiry of at most 4000 licenses is read, the earliest first. */
                capped: boolean;
            }[];
            /** @description The versions that were downloaded on the last days, the newest version first. */
            downloads: {
                version: string;
                /** @description Downloads on all these days. */
                total: number;
                days: {
                    /** Format: date */
                    date: string;
                    /** @description Downloads on this day. */
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
            /** @description What the notification reports as paid or refunded, in the currency's minor unit and including tax. */
            amount: number | null;
            /** @description The processor's fee, in the same unit. Only Paddle, Polar and Gumroad report it. */
            fee: number | null;
            /** @description ISO 4217. */
            currency: string | null;
            /** @description The buyer's country, ISO 3166-1 alpha-2. */
            country: string | null;
            /** @description The processor's id of the payment or refund. Rows with the same id and direction report the same money, and the largest amount counts. If a row has an amount but this id is null, another row already reports the money, so don't add this row's amount. */
            transaction_id: string | null;
            /** @description The processor's own pages; null if their address cannot be known. */
            links: {
                order: string | null;
                subscription: string | null;
            };
            occurred_at: string | null;
            /** Format: date-time */
            received_at: string;
            processed_at: string | null;
            /** @description As the processor sent it (a form as an object of its fields); null if it was erased; `{"unreadable": <why>}` if it can no longer be decrypted. */
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
            /** @description The URL to enter at the processor. It is a credential: anyone who has it may send notifications to it. */
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
            /** @description Of the notification's row in the payments log; null if no row was made. */
            id: string | null;
        };
        PortalAddress: {
            email: string;
        };
        PortalDevice: {
            /** @description Identifies the device within its license; opaque, and not a fingerprint. */
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
            /** @description What is new, in Markdown. */
            notes: string | null;
            artifacts: {
                filename: string;
                /** @enum {string} */
                platform: "windows" | "macos" | "linux" | "any";
                /** @enum {string} */
                arch: "x64" | "arm64" | "ia32" | "universal" | "any";
                /** @description Bytes. */
                size: number;
                /** @description Needs no header. Valid for 5 minutes: request the list again for another one. */
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
            /** @description From this moment on the license is expired; null if it never expires. */
            expires_at: string | null;
            license_type: {
                name: string;
                kind: components["schemas"]["LicenseKind"];
            };
            /** @description What the buyer may use, sorted. */
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
            /** @description How many devices the buyer may free now; null: no limit. */
            frees_left: number | null;
        };
        PortalLink: {
            /** @description Signs in once: give it only to the buyer. */
            url: string;
            /** Format: date-time */
            expires_at: string;
        };
        PortalSession: {
            /** @description For the header `X-Portal-Session`. Shown only this once: the service keeps only a hash of it. */
            session: string;
            /**
             * Format: date-time
             * @description Until when it lasts without further use: 60 minutes, and 12 hours at most.
             */
            expires_at: string;
        };
        PortalSettings: {
            enabled: boolean;
            /** @description The heading of the page; by default the product's name. */
            title: string;
            support_url: string | null;
            /** @description The color of buttons; null: the page's own. */
            color: string | null;
            allow: ("free_devices" | "reissue" | "change_email" | "offline" | "downloads")[];
            /** @description Number of devices of one license that its buyer may free in 30 days, counted from the first; 0: no limit. */
            frees_per_30_days: number;
            /** @description Without mail, only links made with the API sign in. */
            mail_configured: boolean;
        };
        PortalSignOut: {
            ended: boolean;
        };
        PortalToken: {
            /** @description A signed offline token, bound to the device. */
            response: string;
        };
        Product: {
            id: number;
            name: string;
            /** @description Short name; the audience (`aud`) of offline tokens and the `product` of events. */
            slug: string;
            /** @description The credential of client apps (`X-API-Key`). */
            api_key: string;
            /** @description Ed25519 public key, SubjectPublicKeyInfo PEM; verifies offline tokens. */
            public_key: string;
            /** @description Whether apps may list the devices of a license. */
            list_devices: boolean;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        ProductExpiring: {
            /** @description Active licenses that expire on the next 7 days (UTC): from now until the end of the last day. */
            licenses: number;
            /** @description True if there may be more: at most 100 licenses of a product are read, the earliest first. */
            capped: boolean;
            /** @description Licenses among them that the service cannot read. */
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
            /** @description Events whose last attempt failed, in the last 30 days. */
            failed_deliveries: number;
        };
        Refusal: {
            /**
             * Format: date-time
             * @description When it was refused first.
             */
            at: string;
            /**
             * Format: date-time
             * @description When it was counted last.
             */
            last_at: string;
            /** @description How often it was refused; counted at most once a minute. */
            count: number;
            /** @description Null: no license has the key. */
            license_id: number | null;
            /**
             * @description The error code, or `invalid` for an unknown key at validate.
             * @enum {string}
             */
            reason: "license_suspended" | "license_expired" | "license_revoked" | "release_not_covered" | "no_seats" | "too_many_devices" | "not_found" | "invalid";
            /** @description The first group of the key, at most 5 characters. */
            key_hint: string;
            /** @description The first 8 characters of the fingerprint. */
            fingerprint_hint: string | null;
            /** @description The name of the device, if the app sent it or the device is known. */
            name: string | null;
            platform: string | null;
            /** @description The version of the app, if the request had it. */
            version: string | null;
        };
        Release: {
            id: number;
            /** @description Id of the product it belongs to. */
            product_id: number;
            version: string;
            channel: string;
            /** @enum {string} */
            status: "draft" | "published" | "yanked";
            notes: string | null;
            /** @description The date that decides which licenses cover the release; null in a draft: the time of publishing. */
            released_at: string | null;
            /** @description Features that a license must have to get the release, sorted. */
            features: string[];
            build: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            published_at: string | null;
            /** @description When it was yanked (withdrawn from all users); null if it is not yanked. */
            yanked_at: string | null;
            yanked_reason: string | null;
            /** @description Sorted by name. */
            artifacts: components["schemas"]["Artifact"][];
        };
        Reminder: {
            /**
             * @description `expiring`: before the expiry. `expired`: after it. `updates_expiring`: before the end of updates.
             * @enum {string}
             */
            event: "expiring" | "expired" | "updates_expiring";
            /** @description Number of days between the reminder and the date that it is about. */
            days: number;
            subject: string;
            text: string;
        };
        ResetResult: {
            /** @constant */
            status: "reset";
            /** @description How many seats were freed. */
            freed: number;
        };
        RotatedWebhook: {
            /** @description Where events are posted; empty if none is set. */
            url: string;
            /** @description The new secret. Keep it on the server. */
            secret: string;
            /** @description Until when the previous secret signs too; null if it no longer does. */
            previous_until: string | null;
        };
        /**
         * @description `read`: every GET except those of releases, without secrets. `licenses`: also every write on licenses and license types. `releases`: releases and their files; it can also read products, without secrets. `manage`: everything except tokens and the audit log. `admin`: everything.
         * @enum {string}
         */
        Scope: "read" | "licenses" | "releases" | "manage" | "admin";
        Seats: {
            /** @description Devices bound now. */
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
            /** @description The interactive documentation. */
            docs: string;
            /** @description The operator's page. */
            admin: string;
            /** @description The liveness probe. */
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
            /** @description What the notification reports as paid or refunded, in the currency's minor unit and including tax. */
            amount: number | null;
            /** @description The processor's fee, in the same unit. Only Paddle, Polar and Gumroad report it. */
            fee: number | null;
            /** @description ISO 4217. */
            currency: string | null;
            /** @description The buyer's country, ISO 3166-1 alpha-2. */
            country: string | null;
            /** @description The processor's id of the payment or refund. Rows with the same id and direction report the same money, and the largest amount counts. If a row has an amount but this id is null, another row already reports the money, so don't add this row's amount. */
            transaction_id: string | null;
            /** @description The processor's own pages; null if their address cannot be known. */
            links: {
                order: string | null;
                subscription: string | null;
            };
            occurred_at: string | null;
            /** Format: date-time */
            received_at: string;
            processed_at: string | null;
            /** @description As the processor sent it (a form as an object of its fields); null if it was erased; `{"unreadable": <why>}` if it can no longer be decrypted. Absent for tokens below the scope `manage`. */
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
            /** @description The URL to enter at the processor. It is a credential: anyone who has it may send notifications to it. Absent for tokens below the scope `manage`. */
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
            /** @description Short name; the audience (`aud`) of offline tokens and the `product` of events. */
            slug: string;
            /** @description The credential of client apps (`X-API-Key`). Absent for tokens below the scope `manage`. */
            api_key?: string;
            /** @description Ed25519 public key, SubjectPublicKeyInfo PEM; verifies offline tokens. */
            public_key: string;
            /** @description Whether apps may list the devices of a license. */
            list_devices: boolean;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        ShownWebhook: {
            /** @description The URL to which events are posted; empty if none is set. */
            url: string;
            /** @description The events that are posted; null for all. */
            events: ("license.created" | "license.activated" | "license.deactivated" | "license.reset" | "license.revoked" | "license.expired" | "license.renewed" | "license.updated" | "license.suspended" | "license.reinstated" | "license.reissued" | "license.expiring" | "license.seats_exhausted" | "license.updates_renewed" | "license.updates_expiring" | "release.published" | "release.yanked" | "webhook.test")[] | null;
            /** @description Signs the deliveries. Generated once; it changes only when it is rotated. Keep it on the server. Absent for tokens below the scope `manage`. */
            secret?: string;
        };
        SigningKey: {
            /** @description Thumbprint of the key (RFC 7638). */
            kid: string;
            /** @description Ed25519 public key, SubjectPublicKeyInfo PEM. */
            public_key: string;
            /**
             * @description `next`: published, but signs nothing yet. `current`: signs. `previous`: no longer signs; its tokens still verify.
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
            /** @description The text of the `.sig` file. */
            signature: string;
            notes: string;
        };
        TokenRevocation: {
            /** @description False if it was already revoked. */
            revoked: boolean;
        };
        /** @description A release that either limit covers is covered, and every release if there is none. */
        Updates: {
            /** @description Releases up to this instant are covered; null: no such limit. */
            until: string | null;
            /** @description Releases up to this major version are covered; null: no such limit. */
            max_major: number | null;
        };
        Validation: {
            /** @constant */
            valid: true;
            status: components["schemas"]["LicenseStatus"];
            license: components["schemas"]["ClientLicense"];
            device?: components["schemas"]["Device"];
            seats: components["schemas"]["Seats"];
            /** @description What the buyer may use, sorted. */
            features: string[];
            updates: components["schemas"]["Updates"];
            /** @description Whether the license covers the release of the query; absent if the query names none. */
            covered?: boolean;
            /** @description A compact JWS (EdDSA) bound to the fingerprint; verify it with the product's public key to work offline. */
            offline_token?: string;
        } | {
            /** @constant */
            valid: false;
            /** @enum {string} */
            status: "invalid" | "suspended" | "expired" | "revoked";
        };
        Webhook: {
            /** @description The URL to which events are posted; empty if none is set. */
            url: string;
            /** @description The events that are posted; null for all. */
            events: ("license.created" | "license.activated" | "license.deactivated" | "license.reset" | "license.revoked" | "license.expired" | "license.renewed" | "license.updated" | "license.suspended" | "license.reinstated" | "license.reissued" | "license.expiring" | "license.seats_exhausted" | "license.updates_renewed" | "license.updates_expiring" | "release.published" | "release.yanked" | "webhook.test")[] | null;
            /** @description Signs the deliveries. Generated once; it changes only when it is rotated. Keep it on the server. */
            secret: string;
        };
    };
    responses: never;
    parameters: {
        /** @description Makes a retry safe: within 24 hours the same key with the same request returns the first response and changes nothing; with a different request it is refused (409). */
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
                /** @description The end of the previous page; taken from its `Link` header. */
                cursor?: string;
                /** @description What to add to each product; needs the scope `read`. `expiring` reads licenses, so ask for it less often. */
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
                /** @description Makes a retry safe: within 24 hours the same key with the same request returns the first response and changes nothing; with a different request it is refused (409). */
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
                    /** @description Whether apps may list the devices of a license. Takes up to 60 s. */
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
                /** @description Makes a retry safe: within 24 hours the same key with the same request returns the first response and changes nothing; with a different request it is refused (409). */
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
                     * @description How many hours the previous key or secret remains valid. 0: it stops working within 60 s.
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
                /** @description Thumbprint of the key (RFC 7638). */
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
                /** @description Thumbprint of the key (RFC 7638). */
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
                /** @description Makes a retry safe: within 24 hours the same key with the same request returns the first response and changes nothing; with a different request it is refused (409). */
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
                     * @description How many hours the previous key or secret remains valid. 0: it stops working within 60 s.
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
                /** @description How many days to show; default 30. */
                days?: number;
                /** @description Also return the numbers of this day by product. */
                date?: string;
                /** @description What to add: `attention` is what an operator must act on, by product. */
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
                /** @description How many days to show; default 30. */
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
                    /** @description For the kinds subscription and trial. */
                    duration_days?: number;
                    features?: string[];
                    /** @description For the kind floating: minutes that a device keeps its seat after each check; null: until it is freed. */
                    lease_minutes?: number | null;
                    /** @description Maximum number of new devices that may take a seat of one license within 7 days; 0 means unlimited. */
                    new_devices_per_week?: number;
                    /** @description Days of updates from the start of the term; null: no end. */
                    updates_days?: number | null;
                    /** @description Releases up to this major version are covered; null: no such limit. */
                    max_major?: number | null;
                    /**
                     * @description When the term starts: when the license is issued, or with its first activation (kinds subscription and trial).
                     * @enum {string}
                     */
                    starts?: "creation" | "activation";
                    /** @description An expired license may still download what was released before its expiry. */
                    downloads_when_expired?: boolean;
                    /** @description For the kind trial. At most one type of a product. */
                    self_service?: boolean;
                    /** @description True: no new licenses. */
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
                /** @description The end of the previous page; taken from its `Link` header. */
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
                /** @description Makes a retry safe: within 24 hours the same key with the same request returns the first response and changes nothing; with a different request it is refused (409). */
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
                    /** @description Days from issue to expiry; required for the kinds subscription and trial, refused for the others. */
                    duration_days?: number | null;
                    /** @description What the buyer may use; default none. */
                    features?: string[] | null;
                    /** @description For the kind floating: minutes that a device keeps its seat after each check; null: until it is freed. */
                    lease_minutes?: number | null;
                    new_devices_per_week?: number | null;
                    /** @description Days of updates from the start of the term; null: no end. */
                    updates_days?: number | null;
                    /** @description Releases up to this major version are covered; null: no such limit. */
                    max_major?: number | null;
                    starts?: ("creation" | "activation") | null;
                    downloads_when_expired?: boolean | null;
                    /** @description For the kind trial: client apps may issue themselves a license. At most one type of a product. */
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
                /** @description The end of the previous page; taken from its `Link` header. */
                cursor?: string;
                /** @description The beginning of a key, of an address, of `name` in the metadata, or of an order id; in any case. `Name <address>` is read as the address. Without `cursor`. */
                q?: string;
                /** @description Licenses with exactly this buyer's address, in any case. Trials whose address nobody has verified are not found. */
                customer_email?: string;
                /** @description Licenses with this key. */
                key?: string;
                /** @description Licenses of this order: an id of the processor, as the buyer's receipt shows it. */
                order?: string;
                /** @description Licenses to which this device is bound. */
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
                /** @description Makes a retry safe: within 24 hours the same key with the same request returns the first response and changes nothing; with a different request it is refused (409). */
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
                    /** @description The buyer's address; null removes it. */
                    customer_email?: string | null;
                    /** @description The language of its mails; null: the product's. */
                    language?: ("en" | "de") | null;
                    metadata?: components["schemas"]["Metadata"];
                    /** @description In any direction; null: never. */
                    expires_at?: string | null;
                    /** @description In any direction; null: no such limit. */
                    updates_until?: string | null;
                    /** @description Releases up to this major version are covered; null: no such limit. */
                    max_major?: number | null;
                    /** @description The license's own number of seats; 0 means unlimited, null: its type's. */
                    max_seats?: number | null;
                    /** @description The license's own features; null: its type's. */
                    features?: string[] | null;
                    /** @description A license type of the same product that is not archived. */
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
                /** @description The end of the previous page; taken from its `Link` header. */
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
                /** @description Makes a retry safe: within 24 hours the same key with the same request returns the first response and changes nothing; with a different request it is refused (409). */
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
                    /** @description The note; it may have several lines. */
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
                    /** @description The device that the token is bound to. */
                    fingerprint?: string | null;
                    /** @description A label of the device for people. */
                    name?: string | null;
                    /** @description For example the operating system of the device. */
                    platform?: string | null;
                    /** @description Days that the token lives, unless the license expires before. */
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
                /** @description The end of the previous page; taken from its `Link` header. */
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
                /** @description Makes a retry safe: within 24 hours the same key with the same request returns the first response and changes nothing; with a different request it is refused (409). */
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
                /** @description Makes a retry safe: within 24 hours the same key with the same request returns the first response and changes nothing; with a different request it is refused (409). */
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
                    /** @description Days to add to the later of now and the present expiry. */
                    days?: number | null;
                    /** @description The new expiry; not together with `days`, not before the present one. */
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
                /** @description Makes a retry safe: within 24 hours the same key with the same request returns the first response and changes nothing; with a different request it is refused (409). */
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
                    /** @description Days to add to the later of now and the present end of updates. */
                    days?: number | null;
                    /** @description The new end of updates; not together with `days`, not before the present one. */
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
                    /** @description Also clears the count of new devices. */
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
                    /** @description Why, for the operator. */
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
                    /** @description Why, for the operator. */
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
                /** @description The end of the previous page; taken from its `Link` header. */
                cursor?: string;
                /** @description By id, the default, or by expiry: then licenses that never expire come last. A cursor belongs to its sort. */
                sort?: "id" | "expires_at";
                /** @description `asc`, the default, or `desc` for the newest, or the last to expire, first. A cursor belongs to its direction. */
                direction?: "asc" | "desc";
                /** @description Only licenses that expire at this instant or later. Licenses that never expire are in no range. */
                expires_after?: string;
                /** @description Only licenses that expire before this instant; with `status=active` and the present time, those that have lapsed unnoticed. */
                expires_before?: string;
                /** @description Only licenses with this status. */
                status?: components["schemas"]["LicenseStatus"];
                /** @description Only the license with this key. */
                key?: string;
                /** @description Only licenses with exactly this buyer's address; no trials whose address nobody has verified. */
                customer_email?: string;
                /** @description Only licenses of this type. */
                license_type_id?: number;
                /** @description Only licenses issued at this instant or later. */
                created_after?: string;
                /** @description Only licenses issued before this instant. */
                created_before?: string;
                /** @description `full`: only licenses on which no further device fits. `unused`: only those without a device. */
                seats?: "full" | "unused";
                /** @description Only licenses whose term waits for the first activation. */
                starts?: "pending";
                /** @description Only licenses that have devices, all of them last seen before this UTC day. A device that was never seen counts from its activation. */
                unseen_since?: string;
                /** @description Only licenses of this order: any id that its payment processor uses for it. */
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
                /** @description Makes a retry safe: within 24 hours the same key with the same request returns the first response and changes nothing; with a different request it is refused (409). */
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
                    /** @description A license type of this product. */
                    license_type_id: number;
                    /** @description False: the key is not mailed, even if the product mails keys automatically. For imports. */
                    mail?: boolean;
                    /** @description The buyer's address, for the operator only. */
                    customer_email?: string | null;
                    /** @description The language of its mails; null: the product's. */
                    language?: ("en" | "de") | null;
                    metadata?: components["schemas"]["Metadata"];
                    /** @description Overrides the expiry that follows from the license type's duration. */
                    expires_at?: string | null;
                    /** @description A key that another system issued: 8 to 64 letters, digits and hyphens. Shown as given; a search ignores case, hyphens and spaces. */
                    key?: string | null;
                    /** @description When it was sold, for imports: a computed expiry counts from it. Not in the future. */
                    created_at?: string | null;
                    /** @description Overrides the end of updates that follows from the license type's `updates_days`; null: no such limit. */
                    updates_until?: string | null;
                    /** @description Overrides the license type's `max_major`; null: no such limit. */
                    max_major?: number | null;
                    /** @description The license's own number of seats; null: its type's. */
                    max_seats?: number | null;
                    /** @description The license's own features; null: its type's. */
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
                /** @description The end of the previous page; taken from its `Link` header. */
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
                    /** @description The license key as typed: case, spaces and hyphens do not matter; `O` is read as `0`, `I` and `L` as `1`. */
                    key: string;
                    /** @description Identifies the device, the same on every run: by convention the SHA-256 of a hardware or system identifier in hex. A hex string is converted to lower case. */
                    fingerprint: string;
                    /** @description A label for people; default empty. */
                    name?: string | null;
                    /** @description For example the operating system; default empty. */
                    platform?: string | null;
                    /** @description The release of the app: one that the license does not cover is refused (403 `release_not_covered`). */
                    release?: {
                        version?: string | null;
                        released_at?: string | null;
                    } | null;
                    /** @description If the license is full, this device is freed and its seat is taken. A `ref` of no device changes nothing. */
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
                    /** @description The license key as typed: case, spaces and hyphens do not matter; `O` is read as `0`, `I` and `L` as `1`. */
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
                /** @description The end of the previous page; taken from its `Link` header. */
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
                    /** @description The license key as typed: case, spaces and hyphens do not matter; `O` is read as `0`, `I` and `L` as `1`. */
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
                    /** @description Identifies the device, the same on every run: by convention the SHA-256 of a hardware or system identifier in hex. A hex string is converted to lower case. */
                    fingerprint: string;
                    /** @description A label for people; default empty. */
                    name?: string | null;
                    /** @description For example the operating system; default empty. */
                    platform?: string | null;
                    /** @description The buyer's address, if the app asks for it. The service does not verify it: the operator sees it with the license, but no search and no export by address finds it, until the operator sets it as `customer_email`. Trials are never mailed. */
                    customer_email?: string | null;
                };
            };
        };
        responses: {
            /** @description The same as for the first request: nothing new was done. */
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
                /** @description The license key as typed: case, spaces and hyphens do not matter; `O` is read as `0`, `I` and `L` as `1`. */
                key: string;
                /** @description Identifies the device, the same on every run: by convention the SHA-256 of a hardware or system identifier in hex. A hex string is converted to lower case. */
                fingerprint: string;
                /** @description Semver, or digits with dots; a leading `v` is allowed. A version of another form is judged by its date alone. */
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
                     * @description `licensed`: with a license that covers the release. `public`: everybody, without a credential.
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
                /** @description The end of the previous page; taken from its `Link` header. */
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
                /** @description Makes a retry safe: within 24 hours the same key with the same request returns the first response and changes nothing; with a different request it is refused (409). */
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
                    /** @description Default `stable`. */
                    channel?: string | null;
                    notes?: string | null;
                    /** @description The date by which licenses cover it; default the time of publishing. */
                    released_at?: string | null;
                    /** @description Features that a license must have to get the release; default none. */
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
                    /** @description Null: none. */
                    features?: string[] | null;
                    channel?: string;
                    /** @description Null: the time of publishing. */
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
                    /** @description In bytes; at most 5 GB. */
                    size: number;
                    /** @description SHA-256 of the file, in hex. */
                    sha256: string;
                    /** @description SHA-512 of the file, in hex. */
                    sha512: string;
                    /** @description The vendor's own signature, such as the text of Tauri's `.sig` file. It is passed on unchanged. */
                    signature?: string | null;
                    /** @description The media type of downloads; default `application/octet-stream`. */
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
                    /** @description Why, for the operators; at most 500 characters. */
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
            /** @description There is nothing newer. */
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
                /** @description Only releases with a file for this platform, and only these files. */
                platform?: "windows" | "macos" | "linux" | "any";
                /** @description The same for the architecture. */
                arch?: "x64" | "arm64" | "ia32" | "universal" | "any";
                /** @description Default `stable`. */
                channel?: string;
                /** @description The version that the app has: only a newer one is an update. */
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
                /** @description The end of the previous page; taken from its `Link` header. */
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
                /** @description The end of the previous page; taken from its `Link` header. */
                cursor?: string;
                status?: "pending" | "delivered" | "failed" | "skipped";
                channel?: "webhook" | "mail";
                /** @description Only events with this name. To find them, up to 1,000 events of the log are read for a page. */
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
                    /** @description The status of the events; default `failed`. */
                    status?: ("failed" | "skipped") | null;
                    /** @description Events created at this time or later; default: the last 30 days. */
                    since?: string | null;
                    /** @description Events created before this time; default: all until now. */
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
                    /** @description Absolute `https:` URL without user info. The empty string clears it. */
                    url: string;
                    /** @description The events that are posted; null for all; left out: unchanged. Others are logged as `skipped`. `webhook.test` is always posted. */
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
                     * @description True: this connection is for the test mode. A live connection ignores notifications of the test mode.
                     * @enum {string}
                     */
                    mode?: "live" | "test";
                    /** @description A label; default the processor's name. */
                    name?: string;
                    /** @description False: its URL responds 401. */
                    enabled?: boolean;
                    /** @description Write-only. A new secret replaces the previous one, which still verifies for `overlap_hours`; null removes both. At least 16 characters for Stripe and Paddle, 6 for Lemon Squeezy, and 24 decoded bytes for Polar, because shorter ones can be guessed. Gumroad has none. */
                    signing_secret?: ((string | null) | null) | string | null;
                    /** @description Write-only. How many hours the previous signing secret still verifies. Default 24. */
                    overlap_hours?: number;
                    /** @description Write-only. The key of the processor's API, to read details that a notification lacks and notifications that were missed. */
                    api_key?: ((string | null) | null) | string | null;
                    /** @description Which license type is issued for which product or price. The given list replaces the previous one. */
                    plans?: {
                        /** @description The processor's id of the product or price that is sold. */
                        ref: string;
                        /** @description A license type of this product. */
                        license_type_id: number;
                        /**
                         * @description `licenses`: n licenses for a quantity of n; `seats`: one license with n times the seats of the type; `one`: one license.
                         * @default licenses
                         * @enum {string}
                         */
                        quantity?: "licenses" | "seats" | "one";
                        /**
                         * @description `license`: a paid period extends the license; `updates`: it extends only `updates_until`, and the license itself has no expiry from payments.
                         * @default license
                         * @enum {string}
                         */
                        extends?: "license" | "updates";
                        /**
                         * @description If a subscription ends after at least this many consecutive paid months, its license stays valid for what was released until that many months before the end of the paid time. Null: it expires. Only with `extends: "license"`.
                         * @default null
                         */
                        fallback_months?: number | null;
                    }[];
                    /** @description The license type for a sale that matches no plan; null: such a sale is held. */
                    default_license_type_id?: number | null;
                    /** @description Days from the end of the paid period to the expiry. Default 3. */
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
                /** @description Makes a retry safe: within 24 hours the same key with the same request returns the first response and changes nothing; with a different request it is refused (409). */
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
                     * @description True: this connection is for the test mode. A live connection ignores notifications of the test mode.
                     * @enum {string}
                     */
                    mode?: "live" | "test";
                    /** @description A label; default the processor's name. */
                    name?: string;
                    /** @description False: its URL responds 401. */
                    enabled?: boolean;
                    /** @description Write-only. A new secret replaces the previous one, which still verifies for `overlap_hours`; null removes both. At least 16 characters for Stripe and Paddle, 6 for Lemon Squeezy, and 24 decoded bytes for Polar, because shorter ones can be guessed. Gumroad has none. */
                    signing_secret?: ((string | null) | null) | string | null;
                    /** @description Write-only. How many hours the previous signing secret still verifies. Default 24. */
                    overlap_hours?: number;
                    /** @description Write-only. The key of the processor's API, to read details that a notification lacks and notifications that were missed. */
                    api_key?: ((string | null) | null) | string | null;
                    /** @description Which license type is issued for which product or price. The given list replaces the previous one. */
                    plans?: {
                        /** @description The processor's id of the product or price that is sold. */
                        ref: string;
                        /** @description A license type of this product. */
                        license_type_id: number;
                        /**
                         * @description `licenses`: n licenses for a quantity of n; `seats`: one license with n times the seats of the type; `one`: one license.
                         * @default licenses
                         * @enum {string}
                         */
                        quantity?: "licenses" | "seats" | "one";
                        /**
                         * @description `license`: a paid period extends the license; `updates`: it extends only `updates_until`, and the license itself has no expiry from payments.
                         * @default license
                         * @enum {string}
                         */
                        extends?: "license" | "updates";
                        /**
                         * @description If a subscription ends after at least this many consecutive paid months, its license stays valid for what was released until that many months before the end of the paid time. Null: it expires. Only with `extends: "license"`.
                         * @default null
                         */
                        fallback_months?: number | null;
                    }[];
                    /** @description The license type for a sale that matches no plan; null: such a sale is held. */
                    default_license_type_id?: number | null;
                    /** @description Days from the end of the paid period to the expiry. Default 3. */
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
                /** @description The end of the previous page; taken from its `Link` header. */
                cursor?: string;
                status?: "done" | "ignored" | "held" | "waiting";
                /** @description Only notifications about the order with exactly this id; any of the order's ids works. */
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
            /** @description An object with `processed`, `held`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        processed: number;
                        /** @description Number of notifications that are still held. */
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
            /** @description One of several objects. */
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
                         * @description `expiring`: before the expiry. `expired`: after it. `updates_expiring`: before the end of updates.
                         * @enum {string}
                         */
                        event: "expiring" | "expired" | "updates_expiring";
                        /** @description Number of days between the reminder and the date that it is about. */
                        days: number;
                        /** @description Null: the default in the language of the mail. */
                        subject?: string | null;
                        /** @description Null: the default in the language of the mail. Placeholders: {{product}}, {{license_type}}, {{keys}}, {{expires_at}}, {{seats}}, {{order}}, {{portal}}, {{renew_url}}, {{days}}. */
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
                    /** @description The reminder to show; absent or null: the mail with a key. */
                    event?: ("expiring" | "expired" | "updates_expiring") | null;
                    /** @description Of the reminder; absent or null: those of the first reminder about this event, or 7. */
                    days?: number | null;
                    /** @description A license of the product; absent or null: made-up data. */
                    license_id?: number | null;
                    subject?: string | null;
                    text?: string | null;
                    renew_url?: string | null;
                    /** @description Absent or null: the license's own, or else the product's. */
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
                /** @description The end of the previous page; taken from its `Link` header. */
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
                    /** @description The person or program that uses it; the audit log shows it. */
                    name: string;
                    scopes: components["schemas"]["Scope"][];
                    /** @description Binds the token to this product. */
                    product_id?: number | null;
                    /** @description In the future; default never. */
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
                     * @description The buyer's address; matched in any case.
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
                     * @description The buyer's address; matched in any case.
                     */
                    customer_email: string;
                    /** @description The `next` of the previous response. */
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
                /** @description The end of the previous page; taken from its `Link` header. */
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
                    /** @description The code of the mail: 8 digits; spaces and hyphens do not matter. */
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
                /** @description The end of the previous page; taken from its `Link` header. */
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
                    /** @description It begins with `LKS1-REQUEST.` */
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
                    /** @description The code of the mail: 8 digits; spaces and hyphens do not matter. */
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
                    /** @description Null or empty: the product's name. */
                    title?: string | null;
                    support_url?: string | null;
                    color?: string | null;
                    /** @description What buyers may do. */
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
                    /** @description How long the link works; default 1,440. */
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
                /** @description The end of the previous page; taken from its `Link` header. */
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
                /** @description What to add to each entry: `licenses` adds the present key and buyer of its license. */
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
