/** A user's program on the built client, in plain JavaScript: any runtime runs it. */

const use = `async (client, url, key, device, recipient, message) => {
  const { createHandset, unwrap, verifyWebhook, HandsetError } = client;
  const handset = createHandset({ url, key });
  const id = Number(device);
  const path = { params: { path: { id } } };
  const stop = new AbortController();
  const { events } = await unwrap(handset.GET('/devices/{id}/events', { params: { path: { id }, query: { limit: 1000 } } }));
  const after = events.at(-1).id;
  const seen = (async () => {
    for await (const event of handset.events(id, { after, signal: stop.signal })) {
      if (event.type === 'message.received') return event.data.message.text;
    }
  })();
  const { messageId } = await unwrap(handset.POST('/devices/{id}/messages/text', { ...path, body: { toNumber: recipient, message } }));
  const missing = await unwrap(handset.GET('/devices/{id}', { params: { path: { id: 999 } } })).catch((error) => error);
  const { webhook } = await unwrap(handset.GET('/devices/{id}/webhook', path));
  const body = JSON.stringify({ id: 'evt_1', type: 'test', timestamp: new Date().toISOString(), deviceId: id, data: {} });
  const now = String(Math.floor(Date.now() / 1000));
  const secret = Uint8Array.from(atob(webhook.secret.slice(6)), (letter) => letter.charCodeAt(0));
  const hmac = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', hmac, new TextEncoder().encode('evt_1.' + now + '.' + body));
  const signed = 'v1,' + btoa(String.fromCharCode(...new Uint8Array(signature)));
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': now, 'webhook-signature': signed };
  const event = await verifyWebhook(body, headers, { secret: webhook.secret });
  const forged = await verifyWebhook(body.replace('evt', 'eve'), headers, { secret: webhook.secret }).catch((error) => error.name);
  const text = await seen;
  stop.abort();
  return { messageId, refused: missing instanceof HandsetError && missing.status, event: event.type, forged, text };
}`;

/** For a command line; its arguments are the client's module, the URL, the key, the device, the recipient and what to write. */
export const program = `
const use = ${use};
const [entry, ...given] = globalThis.Deno?.args ?? process.argv.slice(2);
console.log(JSON.stringify(await use(await import(entry), ...given)));
`;

/** To be bundled, for a browser: the same arguments without the module. */
export const inBrowser = `
import * as client from '@handset/client';
const use = ${use};
globalThis.useClient = (given) => use(client, ...given);
`;

/** To be bundled, for a Worker: a request has the arguments as a JSON body. */
export const inWorker = `
import * as client from '@handset/client';
const use = ${use};
export default { fetch: async (request) => Response.json(await use(client, ...(await request.json()))) };
`;
