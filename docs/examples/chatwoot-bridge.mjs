// Chatwoot and Handset, joined by their webhooks: `node chatwoot-bridge.mjs`. Needs Node 20 or newer and nothing else.
// Chatwoot: an inbox of the kind "API" with this program's /chatwoot as its webhook, and an access token.
// Handset: webhookUrl of the device is this program's /handset, webhookEvents at least message.received.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const env = process.env;
const chatwoot = `${env.CHATWOOT_URL}/api/v1/accounts/${env.CHATWOOT_ACCOUNT}`;
const conversations = new Map();

const call = async (url, headers, body) => {
  const answer = await fetch(url, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json', ...headers },
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
};
const inChatwoot = (path, body) => call(chatwoot + path, { api_access_token: env.CHATWOOT_TOKEN }, body);

/** Standard Webhooks (docs/webhooks.md). */
const isSigned = (headers, body) => {
  const key = Buffer.from(env.WEBHOOK_SECRET.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  const fresh = Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp'])) < 300;
  const fits = (text) => text.length === expected.length && timingSafeEqual(Buffer.from(text), expected);
  return fresh && String(headers['webhook-signature']).split(' ').some(fits);
};

/** One contact and one open conversation a chat; kept in memory, found again by the identifier. */
const conversationOf = async (chat, name, number) => {
  const known = conversations.get(chat);
  if (known !== undefined) return known;
  const { payload: found } = await inChatwoot(`/contacts/search?q=${encodeURIComponent(chat)}`);
  let contact = found.find(({ identifier }) => identifier === chat);
  if (contact === undefined) {
    const phone = number === null ? {} : { phone_number: `+${number}` };
    const made = await inChatwoot('/contacts', {
      inbox_id: Number(env.CHATWOOT_INBOX),
      name,
      identifier: chat,
      ...phone,
    });
    contact = made.payload.contact;
  }
  const { id } = await inChatwoot('/conversations', {
    inbox_id: Number(env.CHATWOOT_INBOX),
    contact_id: contact.id,
    source_id: chat,
  });
  conversations.set(chat, id);
  return id;
};

const fromHandset = async (event) => {
  if (event.type !== 'message.received') return;
  const { chat, chatNumber, pushName, text, type } = event.data.message;
  const id = await conversationOf(chat, pushName ?? chatNumber ?? chat, chatNumber);
  await inChatwoot(`/conversations/${id}/messages`, { content: text ?? `[${type}]`, message_type: 'incoming' });
};

const fromChatwoot = async (event) => {
  if (event.event !== 'message_created' || event.message_type !== 'outgoing' || event.private === true) return;
  const to = event.conversation.contact_inbox.source_id;
  await call(
    `${env.HANDSET_URL}/v1/devices/${env.HANDSET_DEVICE}/messages/text`,
    { authorization: `Bearer ${env.HANDSET_KEY}`, 'idempotency-key': `chatwoot-${event.id}` },
    { to, message: event.content },
  );
};

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  try {
    if (request.url === '/handset') {
      if (!isSigned(request.headers, body)) return void response.writeHead(401).end();
      await fromHandset(JSON.parse(body));
    } else if (request.url === `/chatwoot?token=${env.BRIDGE_TOKEN}`) {
      await fromChatwoot(JSON.parse(body));
    } else return void response.writeHead(404).end();
    response.writeHead(204).end();
  } catch (error) {
    // Not a 2xx: Handset posts it again later.
    process.stderr.write(`${error.message}\n`);
    response.writeHead(502).end();
  }
});
server.listen(Number(env.PORT ?? 3001), () => process.stdout.write(`listening on ${server.address().port}\n`));
