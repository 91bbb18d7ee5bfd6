import type { Product } from '../api';

/** Code to paste, with the product's address and keys filled in. */

export interface Snippet {
  readonly label: string;
  /** Whether the code uses a client library. */
  readonly usesLibrary?: boolean;
  readonly text: (product: Product, base: string) => string;
}

const quoted = (text: string): string => JSON.stringify(text);
const pem = ({ public_key: key }: Product): string => `\`${key.trim()}\``;

const options = (product: Product, base: string, indent: string): string =>
  [
    `baseUrl: ${quoted(base)},`,
    `productId: ${product.id},`,
    `apiKey: ${quoted(product.api_key ?? 'your API key')},`,
    `publicKey: ${pem(product)},`,
    `audience: ${quoted(product.slug)},`,
  ].join(`\n${indent}`);

const node: Snippet = {
  label: 'Node',
  usesLibrary: true,
  text: (product, base) => `import { LicenseClient } from '@license-key-service/client';
import { fileStorage, fingerprint } from '@license-key-service/client/node';

const license = new LicenseClient({
  ${options(product, base, '  ')}
  fingerprint,
  storage: fileStorage('.my-app'), // a folder of this app and this user
});

// When the app starts. Sends no request while the cached token is valid.
let state = await license.check();
if (state.status !== 'licensed') {
  const [, , key] = process.argv;
  state = await license.activate(key, { name: 'My device', platform: process.platform });
}
console.log(state.status);
await license.close();
`,
};

const browser: Snippet = {
  label: 'Browser',
  usesLibrary: true,
  text: (product, base) => `import { LicenseClient } from '@license-key-service/client';
import { browserStorage } from '@license-key-service/client/browser';

export const license = new LicenseClient({
  ${options(product, base, '  ')}
  storage: browserStorage(), // creates and stores a fingerprint
});

export async function start() {
  const state = await license.check();
  if (state.status !== 'licensed') showLicenseDialog(state);
}

export const activate = (key) => license.activate(key, { name: navigator.userAgent, platform: 'web' });
`,
};

const electron: Snippet = {
  label: 'Electron',
  usesLibrary: true,
  text: (product, base) => `// main.js: create one client, in the main process
import { app, BrowserWindow, ipcMain } from 'electron';
import { hostname } from 'node:os';
import { LicenseClient } from '@license-key-service/client';
import { fileStorage, fingerprint } from '@license-key-service/client/node';

await app.whenReady();
const license = new LicenseClient({
  ${options(product, base, '  ')}
  fingerprint,
  storage: fileStorage(app.getPath('userData')),
});

ipcMain.handle('license:check', () => license.check());
ipcMain.handle('license:activate', (_, key) => license.activate(key, { name: hostname(), platform: process.platform }));
license.subscribe((state) => {
  for (const window of BrowserWindow.getAllWindows()) window.webContents.send('license:state', state);
});

// preload.js
// contextBridge.exposeInMainWorld('license', {
//   check: () => ipcRenderer.invoke('license:check'),
//   activate: (key) => ipcRenderer.invoke('license:activate', key),
// });
`,
};

const react: Snippet = {
  label: 'React',
  usesLibrary: true,
  text: (product, base) => `import { LicenseClient } from '@license-key-service/client';
import { browserStorage } from '@license-key-service/client/browser';
import { useLicense } from '@license-key-service/client/react';

const client = new LicenseClient({
  ${options(product, base, '  ')}
  storage: browserStorage(),
});

export function Licensed({ children }) {
  const { state, isLicensed } = useLicense(client); // checks automatically, and renders again after every change
  if (isLicensed) return children;
  if (!state) return <p>Checking the license…</p>;
  const onSubmit = (event) => {
    event.preventDefault();
    void client.activate(new FormData(event.currentTarget).get('key'), { platform: 'web' });
  };
  return (
    <form onSubmit={onSubmit}>
      <p>{state.status}</p>
      <label>License key <input name="key" /></label>
      <button>Activate</button>
    </form>
  );
}
`,
};

const python: Snippet = {
  label: 'Python',
  usesLibrary: true,
  text: (product, base) => `from license_key_client import FileStorage, LicenseClient, Licensed, fingerprint

license = LicenseClient(
    base_url=${quoted(base)},
    product_id=${product.id},
    api_key=${quoted(product.api_key ?? 'your API key')},
    public_key="""${product.public_key.trim()}""",
    audience=${quoted(product.slug)},
    fingerprint=fingerprint,
    storage=FileStorage(".my-app"),  # a folder of this app and this user
)

# When the app starts. Sends no request while the cached token is valid.
state = license.check()
if not isinstance(state, Licensed):
    state = license.activate(input("License key: "))
print(state.status)
license.close()
`,
};

const go: Snippet = {
  label: 'Go',
  usesLibrary: true,
  text: (product, base) => `license, err := licensekey.New(licensekey.Options{
	BaseURL:     ${quoted(base)},
	ProductID:   ${product.id},
	APIKey:      ${quoted(product.api_key ?? 'your API key')},
	PublicKeys:  []string{${pem(product)}},
	Audience:    ${quoted(product.slug)},
	Fingerprint: licensekey.MachineFingerprint,
	Storage:     licensekey.FileStorage(".my-app"), // a folder of this app and this user
})
if err != nil {
	return err // an option that can't work
}

// When the app starts. Sends no request while the cached token is valid.
state, err := license.Check(ctx)
if err == nil && state.Status != licensekey.Licensed {
	state, err = license.Activate(ctx, keyFromTheUser, licensekey.Labels{Name: host})
}
`,
};

const rust: Snippet = {
  label: 'Rust',
  usesLibrary: true,
  text: (product, base) => `use std::sync::Arc;
use license_key_client::{machine_fingerprint, Client, FileStorage, Labels, Options, State};

let license = Client::new(Options {
    audience: Some(${quoted(product.slug)}.into()),
    fingerprint: Some(machine_fingerprint()),
    storage: Arc::new(FileStorage::new(".my-app")), // a folder of this app and this user
    ..Options::new(${quoted(base)}, ${product.id}, ${quoted(product.api_key ?? 'your API key')}, ${quoted(product.public_key.trim())})
})?;

// When the app starts. Sends no request while the cached token is valid.
let mut state = license.check();
if !matches!(state, State::Licensed(_)) {
    state = license.activate(key_from_the_user, &Labels::default())?;
}
`,
};

const java: Snippet = {
  label: 'Java',
  usesLibrary: true,
  text: (product, base) => `import java.nio.file.Path;
import licensekey.*;

var license = LicenseClient.builder(${quoted(base)}, ${product.id}, ${quoted(product.api_key ?? 'your API key')}, """
        ${product.public_key.trim().replaceAll('\n', '\n        ')}
        """)
    .audience(${quoted(product.slug)})
    .fingerprint(Fingerprint::ofMachine)
    .storage(new FileStorage(Path.of(".my-app"))) // a folder of this app and this user
    .build();

// When the app starts. Sends no request while the cached token is valid.
license.check().thenAccept(state -> {
    if (!(state instanceof State.Licensed)) license.activate(keyFromTheUser);
});

// Receives every change, in a thread of the client.
license.subscribe(state -> SwingUtilities.invokeLater(() -> show(state)));
`,
};

const c: Snippet = {
  label: 'C, C++, .NET',
  usesLibrary: true,
  text: (product, base) => {
    const settings = {
      base_url: base,
      product_id: product.id,
      api_key: product.api_key ?? 'your API key',
      public_key: product.public_key.trim(),
      audience: product.slug,
      storage: '/folder/of/this/app/and/user',
    };
    return `/* C++ and .NET have classes for these functions: docs/clients/cpp.md and docs/clients/dotnet.md */
#include "license_key_client.h"

char *error = NULL;
LksClient *license = lks_open(
    ${quoted(JSON.stringify(settings))},
    &error);

/* When the app starts. Sends no request while the cached token is valid. */
char *state = lks_check(license);
char *status = lks_json_get(state, "status");
if (strcmp(status, "licensed") != 0) show_license_dialog(status);
lks_string_free(status);
lks_string_free(state);
`;
  },
};

const curl: Snippet = {
  label: 'curl',
  text: ({ id, api_key }, base) => `# A stable fingerprint of this device
FINGERPRINT=$(hostname | sha256sum | cut -d ' ' -f 1)

# Takes a seat and gives a signed offline token
curl -sS '${base}/v1/products/${id}/activate' \\
  -H 'X-API-Key: ${api_key}' \\
  -H 'Content-Type: application/json' \\
  -d "{\\"key\\": \\"$KEY\\", \\"fingerprint\\": \\"$FINGERPRINT\\", \\"platform\\": \\"linux\\"}"

# Says whether the license is valid now
curl -sS -G '${base}/v1/products/${id}/validate' \\
  -H 'X-API-Key: ${api_key}' \\
  -d "key=$KEY" -d "fingerprint=$FINGERPRINT"
`,
};

const javascript: Snippet = {
  label: 'JavaScript, plain HTTP',
  text: ({ id, api_key }, base) => `const service = '${base}/v1/products/${id}';
const headers = { 'X-API-Key': '${api_key}', 'Content-Type': 'application/json' };

/** Takes a seat for this device. Store the offline_token of the response. */
export async function activate(key, fingerprint, name, platform) {
  const response = await fetch(\`\${service}/activate\`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ key, fingerprint, name, platform }),
  });
  const result = await response.json();
  if (!response.ok) throw new Error(result.detail);
  return result;
}

/** Says whether the license is valid now. */
export async function validate(key, fingerprint) {
  const query = new URLSearchParams({ key, fingerprint });
  const response = await fetch(\`\${service}/validate?\${query}\`, { headers });
  return response.json();
}
`,
};

const plainPython: Snippet = {
  label: 'Python, plain HTTP',
  text: ({ id, api_key }, base) => `import json
from urllib.parse import urlencode
from urllib.request import Request, urlopen

SERVICE = "${base}/v1/products/${id}"
HEADERS = {"X-API-Key": "${api_key}", "Content-Type": "application/json"}


def activate(key, fingerprint, name="", platform=""):
    """Takes a seat for this device. Store the offline_token of the response."""
    body = {"key": key, "fingerprint": fingerprint, "name": name, "platform": platform}
    with urlopen(Request(SERVICE + "/activate", json.dumps(body).encode(), HEADERS)) as response:
        return json.load(response)


def validate(key, fingerprint):
    """Says whether the license is valid now."""
    query = urlencode({"key": key, "fingerprint": fingerprint})
    with urlopen(Request(SERVICE + "/validate?" + query, headers=HEADERS)) as response:
        return json.load(response)
`,
};

/** Snippets for client apps: the library first, then plain HTTP. */
export const appSnippets: readonly Snippet[] = [node, browser, electron, react, python, go, rust, java, c, curl, javascript, plainPython];

/** Code that verifies a webhook's signature: the lowercase hex of HMAC-SHA256 over the raw body, with the signing secret as the key. */
export const webhookSnippets: readonly Snippet[] = [
  {
    label: 'Node',
    text: () => `import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.WEBHOOK_SECRET; // from the webhooks page

const isGenuine = (body, signature) => {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  const given = Buffer.from(signature ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
};

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks); // the raw bytes: never parse before verifying
  if (!isGenuine(body, request.headers['x-svc-signature'])) return response.writeHead(401).end();
  const event = JSON.parse(body);
  console.log(event.id, event.event); // an event may come twice: store the ids of handled events
  response.writeHead(204).end();
}).listen(8788);
`,
  },
  {
    label: 'Python',
    text: () => `import hashlib
import hmac
import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()  # from the webhooks page


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))  # the raw bytes
        expected = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(expected, self.headers.get("X-Svc-Signature", "")):
            self.send_response(401)
        else:
            event = json.loads(body)
            print(event["id"], event["event"])  # an event may come twice: store the ids of handled events
            self.send_response(204)
        self.end_headers()


HTTPServer(("127.0.0.1", 8788), Receiver).serve_forever()
`,
  },
  {
    label: 'PHP',
    text: () => `<?php
$secret = getenv('WEBHOOK_SECRET'); // from the webhooks page
$body = file_get_contents('php://input'); // the raw bytes: never parse before verifying
$given = $_SERVER['HTTP_X_SVC_SIGNATURE'] ?? '';

if (!hash_equals(hash_hmac('sha256', $body, $secret), $given)) {
    http_response_code(401);
    exit;
}
$event = json_decode($body, true);
error_log($event['id'] . ' ' . $event['event']); // an event may come twice: store the ids of handled events
http_response_code(204);
`,
  },
  {
    label: 'Go',
    text: () => `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
)

func main() {
	secret := []byte(os.Getenv("WEBHOOK_SECRET")) // from the webhooks page
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body) // the raw bytes: never parse before verifying
		if err != nil {
			http.Error(w, "unreadable", http.StatusBadRequest)
			return
		}
		mac := hmac.New(sha256.New, secret)
		mac.Write(body)
		expected := hex.EncodeToString(mac.Sum(nil))
		if !hmac.Equal([]byte(expected), []byte(r.Header.Get("X-Svc-Signature"))) {
			http.Error(w, "wrong signature", http.StatusUnauthorized)
			return
		}
		var event struct{ ID, Event string }
		if err := json.Unmarshal(body, &event); err != nil {
			http.Error(w, "not JSON", http.StatusBadRequest)
			return
		}
		log.Println(event.ID, event.Event) // an event may come twice: store the ids of handled events
		w.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:8788", nil))
}
`,
  },
];
