/**
 * CloudFront runs this function before it fetches a file from the bucket. `/admin`, `/docs` and `/portal` are folders in the bucket, each
 * with an `index.html`. The pages keep their state after `#` in the URL, and the portal has the same page for every product, so only these
 * paths have a page. A request for another path gets the service's own error (`not_found` in the contract) instead of an error of the
 * bucket.
 */
function handler(event) {
  var request = event.request;
  var isPortal = /^\/portal\/[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/?$/.test(request.uri);
  var isFile = isPortal || /^\/((admin|docs)(\/?|\/index\.html)|(admin|docs|portal)\/assets\/[^/]+)$/.test(request.uri);
  if (!isFile || (request.method !== 'GET' && request.method !== 'HEAD')) {
    return {
      statusCode: 404,
      statusDescription: 'Not Found',
      headers: {
        'content-type': { value: 'application/json' },
        'cache-control': { value: 'no-store' },
        'x-content-type-options': { value: 'nosniff' },
        'x-request-id': { value: event.context.requestId },
        'x-svc-error-code': { value: 'not_found' },
      },
      body: '{"detail":"Not found"}',
    };
  }
  request.uri = isPortal ? '/portal/index.html' : request.uri.replace(/^\/(admin|docs)\/?$/, '/$1/index.html');
  return request;
}
