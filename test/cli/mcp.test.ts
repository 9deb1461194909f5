/** `handset mcp` with the SDK's own client, against the running service and the sandbox. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ada, addPhones, bob, untilShown } from '../flows/steps.ts';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';
import { sample } from '../support/media.ts';
import { eventually } from '../support/wait.ts';

const handset = join(import.meta.dirname, '../../src/cli/handset.ts');

interface Content {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
}

describe('the MCP server', () => {
  let installation: Installation;
  let client: Client;

  const contentOf = async (name: string, args: Record<string, unknown> = {}): Promise<readonly Content[]> => {
    const answer = await client.callTool({ name, arguments: args });
    const content = answer.content as readonly Content[];
    assert.notEqual(answer.isError, true, content[0]?.text);
    return content;
  };
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<any> =>
    JSON.parse((await contentOf(name, args))[0]!.text!);

  before(async () => {
    installation = await startInstallation();
    await addPhones(installation);
    const env = { HANDSET_URL: installation.handset.url, HANDSET_KEY: ownerKey, PATH: process.env.PATH ?? '' };
    client = new Client({ name: 'test', version: '1' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [handset, 'mcp'], env }));
  });
  after(async () => {
    await client.close();
    await installation[Symbol.asyncDispose]();
  });

  it('lists tools for devices, messages and events, with what each one may do', async () => {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), [
      'add_members',
      'create_device',
      'create_group',
      'delete_device',
      'delete_message',
      'disconnect_device',
      'edit_message',
      'forward_message',
      'get_device',
      'get_group',
      'get_message',
      'list_chats',
      'list_contacts',
      'list_devices',
      'list_events',
      'list_groups',
      'list_messages',
      'load_history',
      'look_up_numbers',
      'mark_read',
      'react',
      'reject_call',
      'restart_device',
      'send_contact',
      'send_document',
      'send_image',
      'send_location',
      'send_media',
      'send_poll',
      'send_text',
      'set_typing',
      'star_message',
      'update_chat',
      'update_contact',
      'update_group',
      'wait_for_event',
    ]);
    const kind = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    assert.equal(kind.list_events?.readOnlyHint, true);
    assert.equal(kind.delete_device?.destructiveHint, true);
    assert.equal(kind.send_text?.readOnlyHint, false);
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
  });

  it('sends a text and an image, waits for the answer, and reads the conversation', async () => {
    const { messageId } = await call('send_text', { device: 1, to: `+${bob}`, message: 'Hello', idempotencyKey: 'a' });
    assert.equal((await untilShown(installation, bob, 'Hello')).id, messageId);
    const again = await call('send_text', { device: 1, to: `+${bob}`, message: 'Hello', idempotencyKey: 'a' });
    assert.equal(again.messageId, messageId);
    const mediaBase64 =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await call('send_image', {
      device: 1,
      to: (await installation.phones.get(bob)).jid,
      mediaBase64,
      caption: 'pixel',
    });
    await untilShown(installation, bob, 'pixel');
    const { events } = await call('list_events', { device: 1, limit: 200 });
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

  it('sends other kinds, and changes what was sent', async () => {
    const to = `+${bob}`;
    await call('send_location', { device: 1, to, latitude: 1, longitude: 2, name: 'Here' });
    await call('send_contact', { device: 1, to, contacts: [{ name: 'Ada', numbers: [ada] }] });
    const file = await call('send_document', { device: 1, to, mediaBase64: 'SGVsbG8K', fileName: 'hello.txt' });
    assert.equal((await call('get_message', { device: 1, messageId: file.messageId })).message.type, 'document');
    const voice = { as: 'voice', mediaBase64: sample('voice.ogg').toString('base64') };
    await call('send_media', { device: 1, to, ...voice });
    const { messageId } = await call('send_text', { device: 1, to, message: 'Wrong' });
    await call('send_poll', { device: 1, to, question: 'Right?', options: ['yes', 'no'], quotedMessageId: messageId });
    await untilShown(installation, bob, 'Wrong');
    const edited = await call('edit_message', { device: 1, messageId, message: 'Right' });
    assert.equal(edited.message.text, 'Right');
    await untilShown(installation, bob, 'Right');
    const reacted = await call('react', { device: 1, messageId, reaction: '👍' });
    assert.equal(reacted.message.reactions[0].reaction, '👍');
    assert.equal((await call('star_message', { device: 1, messageId, starred: true })).message.starred, true);
    await call('forward_message', { device: 1, messageId, to });
    const deleted = await call('delete_message', { device: 1, messageId });
    assert.equal(deleted.status.message, 'Message deleted');
    await call('delete_message', { device: 1, messageId, forMe: true });
  });

  it('gives null when nothing happens in time, and the service’s words when it refuses', async () => {
    assert.equal((await call('wait_for_event', { device: 1, kinds: ['call'], timeoutSeconds: 1 })).event, null);
    const refused = await client.callTool({ name: 'send_text', arguments: { device: 99, to: bob, message: 'x' } });
    assert.equal(refused.isError, true);
    assert.equal((refused.content as readonly Content[])[0]?.text, 'Device not found');
    const wrong = await client.callTool({ name: 'send_text', arguments: { device: 1, to: 'nobody', message: 'x' } });
    assert.match((wrong.content as readonly Content[])[0]?.text ?? '', /toNumber must be 8 to 15 digits/);
  });

  it('disconnects and deletes', async () => {
    await call('disconnect_device', { device: 1 });
    assert.equal((await call('get_device', { device: 1 })).device.status, 'timeout');
    await call('restart_device', { device: 1 });
    assert.equal((await contentOf('get_device', { device: 1 }))[1]?.type, 'image');
    await call('delete_device', { device: 1 });
    assert.deepEqual((await call('list_devices')).devices, []);
  });

  it('does not start without a key that works', async () => {
    const env = { ...process.env, HANDSET_URL: installation.handset.url, HANDSET_KEY: `hs_${'B'.repeat(43)}` };
    const child = spawn(process.execPath, [handset, 'mcp'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = (await once(child, 'exit')) as [number];
    assert.equal(code, 4);
  });
});
