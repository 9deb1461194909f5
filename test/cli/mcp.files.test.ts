/** Files by `handset mcp`: the media of a message, and pictures of people and groups. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import sharp from 'sharp';
import { ada, addPhones, bob, linkDevice, untilEvent } from '../flows/steps.ts';
import { ownerKey, startInstallation } from '../support/installation.ts';
import { connect, type Content } from './mcp.support.ts';

const contentOf = async (client: Client, name: string, args: Record<string, unknown>): Promise<readonly Content[]> => {
  const answer = await client.callTool({ name, arguments: args });
  const content = answer.content as readonly Content[];
  assert.notEqual(answer.isError, true, content[0]?.text);
  return content;
};

test('shows files: media, the picture of a person and of a group', async () => {
  const installation = await startInstallation();
  await addPhones(installation);
  await linkDevice(installation, ada);
  const client = await connect(installation.handset.url, ownerKey);
  const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#369' } })
    .jpeg()
    .toBuffer();
  const pictureBase64 = picture.toString('base64');
  const write = async (message: object): Promise<string> => {
    const [messageId] = await installation.phones.write(bob, { to: ada, ...message });
    await untilEvent(installation, 1, 'message.received', (data: { message: { id: string } }) => {
      return data.message.id === messageId;
    });
    return messageId!;
  };
  const fileOf = async (name: string, args: object) => {
    const [text, file] = await contentOf(client, name, { device: 1, ...args });
    return [JSON.parse(text!.text!), file] as const;
  };
  const messageId = await write({ documentBase64: 'SGVsbG8K', mimetype: 'text/plain', fileName: 'hello.txt' });
  const [words, file] = await fileOf('get_media', { messageId });
  assert.deepEqual(words, { mimeType: 'text/plain', bytes: 6 });
  assert.deepEqual([file?.type, file?.resource?.blob], ['resource', 'SGVsbG8K']);
  const image = await write({ imageBase64: pictureBase64 });
  const [, shown] = await fileOf('get_media', { messageId: image });
  assert.deepEqual([shown?.type, shown?.mimeType], ['image', 'image/jpeg']);
  const large = await write({ documentBase64: Buffer.alloc(5_242_881).toString('base64') });
  const refused = await client.callTool({ name: 'get_media', arguments: { device: 1, messageId: large } });
  assert.match((refused.content as readonly Content[])[0]!.text!, /more than 5 MB/);

  await installation.phones.request('PATCH', `/phones/${bob}/profile`, { pictureBase64 });
  const [, portrait] = await fileOf('get_picture', { of: bob });
  assert.deepEqual([portrait?.type, portrait?.mimeType], ['image', 'image/jpeg']);
  const { group } = JSON.parse(
    (await contentOf(client, 'create_group', { device: 1, subject: 'Pictures', members: [bob] }))[0]!.text!,
  );
  await installation.api.put(`/devices/1/groups/${group.jid}/picture`, { mediaBase64: pictureBase64 });
  const [, crest] = await fileOf('get_picture', { of: group.jid });
  assert.deepEqual([crest?.type, crest?.mimeType], ['image', 'image/jpeg']);
  await client.close();
  await installation[Symbol.asyncDispose]();
});
