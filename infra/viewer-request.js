/**
 * Runs in CloudFront before a page is fetched from its bucket: `/admin` and `/docs` are folders there, each with
 * an `index.html`. The pages keep their place behind `#`, so no other address stands for a page.
 */
function handler(event) {
  var request = event.request;
  if (/^\/(admin|docs)\/?$/.test(request.uri)) request.uri = request.uri.replace(/\/?$/, '/index.html');
  return request;
}
