import type { Product } from '../api';

interface Snippet {
  readonly label: string;
  readonly text: (product: Product, base: string) => string;
}

const curl: Snippet['text'] = ({ id, api_key }, base) => `# A stable fingerprint of this machine
FINGERPRINT=$(hostname | sha256sum | cut -d ' ' -f 1)

# Takes a seat and answers a signed offline token
curl -sS '${base}/v1/products/${id}/activate' \\
  -H 'X-API-Key: ${api_key}' \\
  -H 'Content-Type: application/json' \\
  -d "{\\"key\\": \\"$KEY\\", \\"fingerprint\\": \\"$FINGERPRINT\\", \\"platform\\": \\"linux\\"}"

# Says whether the license is good now
curl -sS -G '${base}/v1/products/${id}/validate' \\
  -H 'X-API-Key: ${api_key}' \\
  -d "key=$KEY" -d "fingerprint=$FINGERPRINT"
`;

const javascript: Snippet['text'] = ({ id, api_key, public_key }, base) => `const service = '${base}/v1/products/${id}';
const headers = { 'X-API-Key': '${api_key}', 'Content-Type': 'application/json' };

/** Verifies offline tokens, without a network. */
export const publicKey = \`${public_key.trim()}\`;

/** Takes a seat on this machine. Keep the offline_token that comes back. */
export async function activate(key, fingerprint, name, platform) {
  const response = await fetch(\`\${service}/activate\`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ key, fingerprint, name, platform }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.detail);
  return answer;
}

/** Says whether the license is good now. */
export async function validate(key, fingerprint) {
  const query = new URLSearchParams({ key, fingerprint });
  const response = await fetch(\`\${service}/validate?\${query}\`, { headers });
  return response.json();
}
`;

const python: Snippet['text'] = ({ id, api_key }, base) => `import json
from urllib.parse import urlencode
from urllib.request import Request, urlopen

SERVICE = "${base}/v1/products/${id}"
HEADERS = {"X-API-Key": "${api_key}", "Content-Type": "application/json"}


def activate(key, fingerprint, name="", platform=""):
    """Takes a seat on this machine. Keep the offline_token that comes back."""
    body = {"key": key, "fingerprint": fingerprint, "name": name, "platform": platform}
    with urlopen(Request(SERVICE + "/activate", json.dumps(body).encode(), HEADERS)) as answer:
        return json.load(answer)


def validate(key, fingerprint):
    """Says whether the license is good now."""
    query = urlencode({"key": key, "fingerprint": fingerprint})
    with urlopen(Request(SERVICE + "/validate?" + query, headers=HEADERS)) as answer:
        return json.load(answer)
`;

/** Code for client apps, with the product's own address and key in place. */
export const snippets = [
  { label: 'JavaScript', text: javascript },
  { label: 'Python', text: python },
  { label: 'curl', text: curl },
] as const satisfies readonly Snippet[];
