/** `handset mcp` with the SDK's own client, against the running service and the sandbox. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Client, Tool } from '@modelcontextprotocol/client';
import sharp from 'sharp';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ada, addPhones, bob, linkDevice, untilShown } from '../flows/steps.ts';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';
import { sample } from '../support/media.ts';
import { startReceiver } from '../support/receiver.ts';
import { eventually } from '../support/wait.ts';
import {
  connect,
  type Content,
  letIn,
  maxBytes,
  postToChannel,
  sendLater,
  starAndLabel,
  useCommunities,
  useGroups,
} from './mcp.support.ts';

describe('the MCP server', () => {
  let installation: Installation;
  let client: Client;
  let tools: readonly Tool[];
  const called = new Set<string>();
  const ajv = new Ajv2020({ strict: false });

  const contentOf = async (name: string, args: Record<string, unknown> = {}): Promise<readonly Content[]> => {
    const answer = await client.callTool({ name, arguments: args });
    const content = answer.content as readonly Content[];
    assert.notEqual(answer.isError, true, `${name}: ${content[0]?.text}`);
    called.add(name);
    const validate = ajv.compile(tools.find((tool) => tool.name === name)!.outputSchema as object);
    assert.ok(validate(answer.structuredContent), `${name}: ${JSON.stringify(validate.errors)}`);
    assert.deepEqual(JSON.parse(content[0]!.text!), answer.structuredContent, name);
    if (name.startsWith('list_')) assert.ok(content[0]!.text!.length < maxBytes, name);
    return content;
  };
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<any> =>
    JSON.parse((await contentOf(name, args))[0]!.text!);

  before(async () => {
    installation = await startInstallation();
    await addPhones(installation);
    client = await connect(installation.handset.url, ownerKey);
    ({ tools } = await client.listTools());
  });
  after(() => client.close().then(() => installation[Symbol.asyncDispose]()));

  it('has a title, hints and both schemas for every tool', () => {
    assert.ok(tools.length > 50 && tools.length <= 90, String(tools.length));
    for (const { name, title, description, annotations, inputSchema, outputSchema } of tools) {
      assert.match(title ?? '', /^[A-Z].{3,}$/, name);
      assert.ok((description?.length ?? 0) > 10, name);
      const isRead = /^(?:list|get|wait|look)_/.test(name);
      assert.equal(annotations?.readOnlyHint ?? false, isRead, name);
      // Left out, it says that a tool destroys.
      assert.ok(isRead || typeof annotations?.destructiveHint === 'boolean', name);
      assert.equal(outputSchema?.type, 'object', name);
      assert.ok(Object.keys(outputSchema?.properties ?? {}).length > 0, name);
      const paged = ['limit', 'cursor'].every((member) => member in (inputSchema.properties ?? {}));
      assert.ok(
        !name.startsWith('list_') || paged || ['list_events', 'list_channel_posts', 'list_receipts'].includes(name),
        name,
      );
    }
    const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name);
    assert.deepEqual(destructive.sort(), [
      'cancel_scheduled',
      'clear_chat',
      'delete_channel_post',
      'delete_device',
      'delete_message',
      'delete_status',
      'delete_webhook',
      'disconnect_device',
      'end_community',
      'leave_community',
      'leave_group',
    ]);
  });

  it('makes a device, shows its QR as an image, and tells when it is linked', async () => {
    const [text, image] = await contentOf('create_device', { name: 'Support' });
    const { device } = JSON.parse(text!.text!);
    assert.deepEqual([device.id, device.status, device.hasQr], [1, 'qr', true]);
    assert.equal(image?.mimeType, 'image/png');
    assert.equal((await call('update_device', { device: 1, name: 'Support' })).device.hasQr, true);
    const { events } = await call('list_events', { device: 1 });
    const waiting = call('wait_for_event', { device: 1, kinds: ['connection.open'], after: events.at(-1).id });
    await installation.phones.scan(ada, `data:image/png;base64,${image.data}`);
    assert.equal((await waiting).event.data.phoneNumber, ada);
    assert.equal((await call('list_devices')).devices[0].status, 'connected');
    assert.equal((await call('get_device', { device: 1 })).session.state, 'open');
    assert.equal((await call('get_limits', { device: 1 })).limits.reason, null);
    await call('suppress_number', { number: '4915550007777', reason: 'asked' });
    assert.equal((await call('list_suppressions')).suppressions[0].number, '4915550007777');
    const wish = { url: 'https://example.com/hook', events: ['call'], chats: { only: ['4915550009999'] } };
    const { webhook } = await call('create_webhook', { device: 1, ...wish });
    assert.deepEqual(webhook.chats, { only: ['4915550009999@s.whatsapp.net'] });
    const { webhooks } = await call('list_webhooks', { device: 1 });
    assert.deepEqual(
      webhooks.map((each: { id: string }) => each.id),
      ['primary', webhook.id],
    );
    const { webhook: wide } = await call('create_webhook', wish);
    assert.deepEqual((await call('list_webhooks')).webhooks, [wide]);
    const first = await call('list_webhooks', { device: 1, limit: 1 });
    const second = await call('list_webhooks', { device: 1, limit: 1, cursor: first.nextCursor });
    assert.deepEqual([first.webhooks[0].id, second.webhooks[0].id, second.nextCursor], ['primary', webhook.id, null]);
    const off = await call('update_webhook', {
      device: 1,
      webhookId: webhook.id,
      enabled: false,
      chats: { except: [bob] },
    });
    assert.deepEqual([off.webhook.enabled, off.webhook.chats], [false, { except: [`${bob}@s.whatsapp.net`] }]);
    await using receiver = await startReceiver();
    await call('update_webhook', {
      webhookId: wide.id,
      url: receiver.url,
      events: ['message.received'],
      chats: { except: [ada] },
    });
    assert.equal((await call('test_webhook', { webhookId: wide.id })).test.delivered, true);
    await installation.phones.write(bob, { to: ada, text: 'to be posted' });
    const { id } = await eventually('the delivery', async () => {
      const { deliveries } = await call('list_deliveries', { webhookId: wide.id, state: 'delivered' });
      return deliveries[0];
    });
    await call('retry_delivery', { webhookId: wide.id, deliveryId: id });
    await receiver.until(3);
    await call('retry_deliveries', { webhookId: wide.id });
    await call('delete_webhook', { webhookId: wide.id });
    assert.deepEqual((await call('list_webhooks')).webhooks, []);
  });

  it('changes a device and its settings, and counts its messages', async () => {
    const wish = { online: true, newChatsPerDay: 20, proxy: null };
    const { settings } = await call('update_settings', { device: 1, ...wish });
    assert.partialDeepStrictEqual(settings, wish);
    assert.equal((await call('update_device', { device: 1, name: 'Front desk' })).device.name, 'Front desk');
    assert.equal((await call('get_usage', { device: 1, by: 'day' })).usage.length, 30);
    assert.equal((await call('get_usage')).usage.length, 24);
  });

  it('sends a text and an image, waits for the answer, and reads the conversation', async () => {
    const { messageId } = await call('send_text', { device: 1, to: `+${bob}`, message: 'Hello', idempotencyKey: 'a' });
    assert.equal((await untilShown(installation, bob, 'Hello')).id, messageId);
    const again = await call('send_text', { device: 1, to: `+${bob}`, message: 'Hello', idempotencyKey: 'a' });
    assert.equal(again.messageId, messageId);
    const mediaBase64 =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const { jid: to } = await installation.phones.get(bob);
    const image = await call('send_media', { device: 1, to, as: 'image', mediaBase64, caption: 'pixel' });
    const [, shown] = await contentOf('get_media', { device: 1, messageId: image.messageId });
    assert.equal(shown?.type, 'image');
    await untilShown(installation, bob, 'pixel');
    const { events } = await call('list_events', { device: 1, limit: 100 });
    const waiting = call('wait_for_event', { device: 1, kinds: ['message.received'], after: events.at(-1).id });
    await installation.phones.write(bob, { to: ada, text: 'Hello yourself' });
    assert.equal((await waiting).event.data.message.text, 'Hello yourself');
    const { messages } = await call('list_messages', { device: 1, limit: 3 });
    assert.deepEqual(
      // The network tells seconds: within one, the order of what was sent and received is not known.
      messages.map(({ text }: { text: string }) => text).sort(),
      ['Hello', 'Hello yourself', 'pixel'],
    );
    await eventually('the text is delivered', async () => {
      const { message } = await call('get_message', { device: 1, messageId });
      return message.state === 'delivered';
    });
  });

  it('shows the picture of a person', async () => {
    const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#369' } })
      .jpeg()
      .toBuffer();
    const profile = { pictureBase64: picture.toString('base64') };
    await installation.phones.request('PATCH', `/phones/${bob}/profile`, profile);
    assert.equal((await contentOf('get_picture', { device: 1, of: bob }))[1]?.mimeType, 'image/jpeg');
  });

  it('sends other kinds, and changes what was sent', async () => {
    const to = `+${bob}`;
    await call('send_location', { device: 1, to, latitude: 1, longitude: 2, name: 'Here' });
    await call('send_contact', { device: 1, to, contacts: [{ name: 'Ada', numbers: [ada] }] });
    const text = { as: 'document', mediaBase64: 'SGVsbG8K', fileName: 'hello.txt' };
    const file = await call('send_media', { device: 1, to, ...text });
    assert.equal((await call('get_message', { device: 1, messageId: file.messageId })).message.type, 'document');
    const voice = { as: 'voice', mediaBase64: sample('voice.ogg').toString('base64') };
    await call('send_media', { device: 1, to, ...voice });
    const item = { mediaBase64: sample('picture.png').toString('base64') };
    assert.equal((await call('send_media', { device: 1, to, as: 'album', items: [item, item] })).messageIds.length, 2);
    const { messageId } = await call('send_text', { device: 1, to, message: 'Wrong' });
    const poll = { device: 1, to, question: 'Right?', options: ['yes', 'no'], quotedMessageId: messageId };
    const asked = await call('send_poll', poll);
    await untilShown(installation, bob, 'Wrong');
    const edited = await call('edit_message', { device: 1, messageId, message: 'Right' });
    assert.equal(edited.message.text, 'Right');
    await untilShown(installation, bob, 'Right');
    const reacted = await call('react', { device: 1, messageId, reaction: '👍' });
    assert.equal(reacted.message.reactions[0].reaction, '👍');
    await starAndLabel(call, messageId);
    await call('forward_message', { device: 1, messageId, to });
    assert.equal((await call('pin_message', { device: 1, messageId, pinned: true })).message.id, messageId);
    const { poll: votes } = await call('get_poll', { device: 1, messageId: asked.messageId });
    assert.deepEqual(
      votes.options.map((one: { option: string; voters: unknown }) => [one.option, one.voters]),
      [
        ['yes', []],
        ['no', []],
      ],
    );
    const { receipts } = await call('list_receipts', { device: 1, messageId: asked.messageId });
    assert.equal(receipts[0].person, bob);
    const deleted = await call('delete_message', { device: 1, messageId });
    assert.equal(deleted.status.message, 'Message deleted');
    await call('delete_message', { device: 1, messageId, forMe: true });
  });

  it('reads and changes chats and people', async () => {
    const [chat] = (await call('list_chats', { device: 1, q: bob })).chats;
    assert.deepEqual([chat.isGroup, chat.lastMessage.direction], [false, 'out']);
    const [written] = await installation.phones.write(bob, { to: ada, text: 'x'.repeat(5_000) });
    await eventually('the long text is there', async () => {
      const [newest] = (await call('list_messages', { device: 1, limit: 1 })).messages;
      return newest.id === written && newest.text.length === 200;
    });
    assert.equal((await call('get_message', { device: 1, messageId: written })).message.text.length, 5_000);
    assert.deepEqual((await call('mark_read', { device: 1, chat: bob })).messageIds.includes(written), true);
    assert.equal((await call('set_typing', { device: 1, chat: bob, state: 'text' })).typing.state, 'text');
    await call('load_history', { device: 1, chat: bob, count: 1 });
    assert.equal((await call('update_chat', { device: 1, chat: bob, archived: true })).chat.archived, true);
    assert.equal((await call('clear_chat', { device: 1, chat: bob })).chat.chatNumber, bob);
    assert.equal((await call('list_contacts', { device: 1 })).contacts[0].number, bob);
    assert.equal((await call('get_contact', { device: 1, person: bob })).contact.pushName, 'Bob');
    const named = await call('update_contact', { device: 1, person: bob, name: 'Bob Baker' });
    assert.equal(named.contact.name, 'Bob Baker');
    const found = await call('look_up_numbers', { device: 1, numbers: `${bob},4915550009999` });
    assert.equal(found.contacts.map((one: { exists: boolean }) => one.exists).join(), 'true,false');
    assert.equal((await call('look_up_usernames', { device: 1, usernames: ['@nobody.at.all'] })).contacts.length, 1);
    const { statusId, recipients } = await call('post_status', {
      device: 1,
      type: 'text',
      text: 'Open',
      audience: { only: [bob] },
    });
    assert.deepEqual([recipients, (await call('list_statuses', { device: 1 })).statuses[0].id], [1, statusId]);
    await call('list_status_viewers', { device: 1, statusId });
    await call('delete_status', { device: 1, statusId });
    assert.equal((await call('update_profile', { device: 1, about: 'Open from 7' })).profile.about, 'Open from 7');
    assert.equal((await call('get_profile', { device: 1 })).profile.number, ada);
    const events = await call('list_events', { device: 1, order: 'newest', limit: 20 });
    assert.equal(events.events.length, 20);
  });

  it('rejects a call, and posts to a channel', async () => {
    const [{ id }] = (await call('list_events', { device: 1, order: 'newest', limit: 1 })).events;
    const waiting = call('wait_for_event', { device: 1, kinds: ['call'], after: id });
    await installation.phones.request('POST', `/phones/${bob}/call`, { to: ada });
    const { callId } = (await waiting).event.data;
    assert.match((await call('reject_call', { device: 1, callId })).status.message, /rejected/);
    await postToChannel(call, installation.phones, ada);
  });

  it('makes and changes groups', () => useGroups(call));

  it('waits with a send, and sets the own picture', () => sendLater(call));

  it('makes, fills, lists, leaves and ends communities', () => useCommunities(call));

  it('lets people into a group, and leaves one', async () => letIn(call, await linkDevice(installation, bob)));

  it('gives null when nothing happens in time, and the service’s words when it refuses', async () => {
    assert.equal((await call('wait_for_event', { device: 1, kinds: ['call'], timeoutSeconds: 1 })).event, null);
    const refused = await client.callTool({ name: 'send_text', arguments: { device: 99, to: bob, message: 'x' } });
    assert.equal(refused.isError, true);
    assert.equal((refused.content as readonly Content[])[0]?.text, 'Device not found');
    const wrong = await client.callTool({ name: 'send_text', arguments: { device: 1, to: 'nobody', message: 'x' } });
    assert.match(JSON.stringify(wrong.content), /nobody.* is neither a phone number/);
  });

  it('disconnects and deletes', async () => {
    await call('disconnect_device', { device: 1 });
    assert.equal((await call('get_device', { device: 1 })).device.status, 'timeout');
    await call('restart_device', { device: 1 });
    assert.equal((await contentOf('get_device', { device: 1 }))[1]?.type, 'image');
    await call('delete_device', { device: 1 });
    assert.deepEqual((await call('list_devices')).devices, []);
  });

  it('has called every tool', () => {
    assert.deepEqual(called, new Set(tools.map(({ name }) => name)));
  });
});
