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
import { connect, type Content, mostBytes } from './mcp.support.ts';

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
    if (name.startsWith('list_')) assert.ok(content[0]!.text!.length < mostBytes, name);
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
  after(async () => {
    await client.close();
    await installation[Symbol.asyncDispose]();
  });

  it('has a title, hints and both schemas for every tool', () => {
    assert.ok(tools.length > 50 && tools.length <= 60, String(tools.length));
    for (const { name, title, description, annotations, inputSchema, outputSchema } of tools) {
      assert.match(title ?? '', /^[A-Z].{3,}$/, name);
      assert.equal(annotations?.title, title, name);
      assert.ok((description?.length ?? 0) > 20, name);
      for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const) {
        assert.equal(typeof annotations?.[hint], 'boolean', `${name} ${hint}`);
      }
      assert.equal(annotations?.readOnlyHint, /^(?:list|get|wait|look)_/.test(name), name);
      assert.equal(outputSchema?.type, 'object', name);
      assert.ok(Object.keys(outputSchema?.properties ?? {}).length > 0, name);
      const paged = ['limit', 'cursor'].every((member) => member in (inputSchema.properties ?? {}));
      assert.ok(!name.startsWith('list_') || paged || name === 'list_events', name);
    }
    const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name);
    assert.deepEqual(destructive.sort(), [
      'change_member',
      'delete_device',
      'delete_message',
      'delete_webhook',
      'disconnect_device',
      'leave_group',
    ]);
  });

  it('makes a device, shows its QR as an image, and tells when it is linked', async () => {
    const [text, image] = await contentOf('create_device', { name: 'Support' });
    const { device } = JSON.parse(text!.text!);
    assert.deepEqual([device.id, device.status, device.hasQr], [1, 'qr', true]);
    assert.equal(image?.mimeType, 'image/png');
    const { events } = await call('list_events', { device: 1 });
    const waiting = call('wait_for_event', { device: 1, kinds: ['connection.open'], after: events.at(-1).id });
    await installation.phones.scan(ada, `data:image/png;base64,${image.data}`);
    assert.equal((await waiting).event.data.phoneNumber, ada);
    const { devices } = await call('list_devices');
    assert.equal(devices[0].status, 'connected');
    assert.equal((await call('get_device', { device: 1 })).session.state, 'open');
    assert.equal((await call('get_limits', { device: 1 })).limits.reason, null);
    await call('suppress_number', { number: '4915550007777', reason: 'asked' });
    assert.equal((await call('list_suppressions')).suppressions[0].number, '4915550007777');
    const wish = { url: 'https://example.com/hook', events: ['call'], only: ['4915550009999'] };
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
    const off = await call('update_webhook', { device: 1, webhook: webhook.id, enabled: false, except: [bob] });
    assert.deepEqual([off.webhook.enabled, off.webhook.chats], [false, { except: [`${bob}@s.whatsapp.net`] }]);
    const receiver = await startReceiver();
    await call('update_webhook', { webhook: wide.id, url: receiver.url, events: ['message.received'], except: [ada] });
    assert.equal((await call('test_webhook', { webhook: wide.id })).test.delivered, true);
    await installation.phones.write(bob, { to: ada, text: 'to be posted' });
    const { id } = await eventually('the delivery', async () => {
      const { deliveries } = await call('list_deliveries', { webhook: wide.id, state: 'delivered' });
      return deliveries[0];
    });
    await call('retry_deliveries', { webhook: wide.id, delivery: id });
    await receiver.until(3);
    await call('retry_deliveries', { webhook: wide.id });
    await receiver[Symbol.asyncDispose]();
    await call('delete_webhook', { webhook: wide.id });
    assert.deepEqual((await call('list_webhooks')).webhooks, []);
  });

  it('changes a device and its settings, and counts its messages', async () => {
    const wish = { online: true, newChatsPerDay: 20, proxy: null };
    const { device, settings } = await call('update_device', { device: 1, name: 'Front desk', ...wish });
    assert.partialDeepStrictEqual([device.name, settings], ['Front desk', wish]);
    assert.deepEqual((await call('update_device', { device: 1 })).settings, settings);
    assert.equal((await call('get_usage', { device: 1 })).usage.length, 30);
    assert.equal((await call('get_usage', { by: 'hour' })).usage.length, 24);
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
    const file = await call('send_media', {
      device: 1,
      to,
      as: 'document',
      mediaBase64: 'SGVsbG8K',
      fileName: 'hello.txt',
    });
    assert.equal((await call('get_message', { device: 1, messageId: file.messageId })).message.type, 'document');
    const voice = { as: 'voice', mediaBase64: sample('voice.ogg').toString('base64') };
    await call('send_media', { device: 1, to, ...voice });
    const { messageId } = await call('send_text', { device: 1, to, message: 'Wrong' });
    const poll = { device: 1, to, question: 'Right?', options: ['yes', 'no'], quotedMessageId: messageId };
    const asked = await call('send_poll', poll);
    await untilShown(installation, bob, 'Wrong');
    const edited = await call('edit_message', { device: 1, messageId, message: 'Right' });
    assert.equal(edited.message.text, 'Right');
    await untilShown(installation, bob, 'Right');
    const reacted = await call('react', { device: 1, messageId, reaction: '👍' });
    assert.equal(reacted.message.reactions[0].reaction, '👍');
    assert.equal((await call('star_message', { device: 1, messageId, starred: true })).message.starred, true);
    await call('forward_message', { device: 1, messageId, to });
    assert.equal((await call('pin_message', { device: 1, messageId, pinned: true })).message.id, messageId);
    const known = await call('get_message', { device: 1, messageId: asked.messageId, receipts: true, votes: true });
    assert.deepEqual(known.votes, [
      { option: 'yes', voters: [] },
      { option: 'no', voters: [] },
    ]);
    assert.ok(Array.isArray(known.receipts));
    const deleted = await call('delete_message', { device: 1, messageId });
    assert.equal(deleted.status.message, 'Message deleted');
    await call('delete_message', { device: 1, messageId, forMe: true });
  });

  it('reads and changes chats and people', async () => {
    const { chats } = await call('list_chats', { device: 1, q: bob });
    assert.deepEqual([chats[0].isGroup, chats[0].lastMessage.direction], [false, 'out']);
    const [written] = await installation.phones.write(bob, { to: ada, text: 'x'.repeat(5_000) });
    await eventually('the long text is there', async () => {
      const { messages } = await call('list_messages', { device: 1, limit: 1 });
      return messages[0].id === written && messages[0].text.length === 200;
    });
    assert.equal((await call('get_message', { device: 1, messageId: written })).message.text.length, 5_000);
    assert.deepEqual((await call('mark_read', { device: 1, chat: bob })).messageIds.includes(written), true);
    assert.equal((await call('set_typing', { device: 1, chat: bob, state: 'text' })).typing.state, 'text');
    await call('load_history', { device: 1, chat: bob, count: 1 });
    assert.equal((await call('update_chat', { device: 1, chat: bob, archived: true })).chat.archived, true);
    assert.equal((await call('list_contacts', { device: 1 })).contacts[0].number, bob);
    assert.equal((await call('get_contact', { device: 1, person: bob })).contact.pushName, 'Bob');
    const named = await call('update_contact', { device: 1, person: bob, name: 'Bob Baker' });
    assert.equal(named.contact.name, 'Bob Baker');
    const found = await call('look_up_numbers', { device: 1, numbers: [bob, '4915550009999'] });
    assert.deepEqual(
      found.contacts.map(({ exists }: { exists: boolean }) => exists),
      [true, false],
    );
    assert.equal((await call('update_profile', { device: 1, about: 'Open from 7' })).profile.about, 'Open from 7');
    assert.equal((await call('get_profile', { device: 1 })).profile.number, ada);
    const events = await call('list_events', { device: 1, order: 'newest', limit: 20 });
    assert.equal(events.events.length, 20);
  });

  it('rejects a call', async () => {
    const { events } = await call('list_events', { device: 1, order: 'newest', limit: 1 });
    const waiting = call('wait_for_event', { device: 1, kinds: ['call'], after: events[0].id });
    await installation.phones.request('POST', `/phones/${bob}/call`, { to: ada });
    const { callId } = (await waiting).event.data;
    assert.match((await call('reject_call', { device: 1, callId })).status.message, /rejected/);
  });

  it('makes, changes and leaves groups', async () => {
    const made = await call('create_group', { device: 1, subject: 'Tea', members: [bob] });
    assert.deepEqual(made.results, [{ person: bob, result: 'added', reason: null }]);
    const group = made.group.jid;
    const changed = await call('update_group', { device: 1, group, subject: 'Coffee', joinApproval: true });
    assert.equal(changed.group.subject, 'Coffee');
    assert.equal((await call('list_groups', { device: 1 })).groups[0].size, 2);
    const first = await call('get_group', { device: 1, group, limit: 1 });
    const second = await call('get_group', { device: 1, group, limit: 1, cursor: first.nextCursor });
    assert.deepEqual(
      [new Set([first.members[0].person, second.members[0].person]), second.nextCursor],
      [new Set([ada, bob]), null],
    );
    const promoted = await call('change_member', { device: 1, group, person: bob, to: 'admin' });
    assert.equal(promoted.results[0].result, 'promoted');
    await call('change_member', { device: 1, group, person: bob, to: 'member' });
    const removed = await call('change_member', { device: 1, group, person: bob, to: 'removed' });
    assert.equal(removed.results[0].result, 'removed');
  });

  it('lets people into a group, and leaves one', async () => {
    const group = (await call('create_group', { device: 1, subject: 'Open', members: [] })).group.jid;
    await call('update_group', { device: 1, group, joinApproval: true });
    const { link } = await call('get_invite', { device: 1, group });
    assert.equal((await call('get_invite', { device: 1, invite: link })).group.subject, 'Open');
    const other = await linkDevice(installation, bob);
    assert.deepEqual(await call('join_group', { device: other, invite: link }), { group, waits: true });
    await eventually('Bob asks to join', async () => {
      const { requests } = await call('list_join_requests', { device: 1, group });
      return requests[0]?.person === bob;
    });
    await call('decide_join_request', { device: 1, group, person: bob, approved: true });
    await call('change_member', { device: 1, group, person: bob, to: 'removed' });
    await call('add_members', { device: 1, group, members: [bob] });
    await call('leave_group', { device: other, group });
    await call('delete_device', { device: other });
  });

  it('gives null when nothing happens in time, and the service’s words when it refuses', async () => {
    assert.equal((await call('wait_for_event', { device: 1, kinds: ['call'], timeoutSeconds: 1 })).event, null);
    const refused = await client.callTool({ name: 'send_text', arguments: { device: 99, to: bob, message: 'x' } });
    assert.equal(refused.isError, true);
    assert.equal((refused.content as readonly Content[])[0]?.text, 'Device not found');
    const wrong = await client.callTool({ name: 'send_text', arguments: { device: 1, to: 'nobody', message: 'x' } });
    assert.match((wrong.content as readonly Content[])[0]?.text ?? '', /"nobody" is neither a phone number/);
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
    assert.deepEqual(
      tools.map(({ name }) => name).filter((name) => !called.has(name)),
      [],
    );
  });
});
