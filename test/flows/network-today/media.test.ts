/** The network of 2026, "Expired media": on 403, 404 and 410 of the media host the phone is asked to upload again; through the whole service. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { eventually } from '../../support/wait.ts';
import { ada, addPhones, bob, linkDevice, untilEvent, untilOpen } from '../steps.ts';

const bytes = randomBytes(70_000);

describe('expired media', () => {
  let installation: Installation;
  let id: number;
  const receive = async (): Promise<string> => {
    const [messageId] = await installation.phones.write(bob, { to: ada, documentBase64: bytes.toString('base64') });
    const isIt = (data: { message: { id: string } }) => data.message.id === messageId;
    await untilEvent(installation, id, 'message.received', isIt);
    await eventually('it on the own phone, which opens the file first', async () =>
      (await installation.phones.messages(ada)).some((message) => message.id === messageId),
    );
    return messageId!;
  };
  const download = async (messageId: string) => {
    const answer = await installation.api.fetch(`/devices/${id}/messages/${messageId}/media`);
    return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
  };
  const expire = (messageId: string, deleted = false) =>
    installation.phones.request('POST', `/phones/${ada}/messages/${messageId}/expire-media`, { deleted });

  before(async () => {
    installation = await startInstallation({ HANDSET_REQUEST_TIMEOUT: '3' });
    await addPhones(installation);
    id = await linkDevice(installation);
  });
  after(() => installation[Symbol.asyncDispose]());

  it('comes from the phone, also after a restart, and then from the path that was kept', async () => {
    const messageId = await receive();
    await expire(messageId);
    await installation.restart();
    await untilOpen(installation, id);
    assert.deepEqual(await download(messageId), { status: 200, body: bytes });
    await installation.phones.behave(ada, { online: false });
    assert.deepEqual(await download(messageId), { status: 200, body: bytes });
    await installation.phones.behave(ada, { online: true });
  });

  it('is 404 in words within the time of the request while the phone is offline, and there once it has answered', async () => {
    const messageId = await receive();
    await expire(messageId);
    await installation.phones.behave(ada, { online: false });
    const { status, body } = await download(messageId);
    assert.equal(status, 404, body.toString());
    assert.match(body.toString(), /the phone was asked to upload it again, try later/);
    await installation.phones.behave(ada, { online: true });
    await eventually('the file', async () => (await download(messageId)).status === 200);
    assert.deepEqual(await download(messageId), { status: 200, body: bytes });
  });

  it('is 404 in words where the phone has deleted it', async () => {
    const messageId = await receive();
    await expire(messageId, true);
    const { status, body } = await download(messageId);
    assert.equal(status, 404);
    assert.match(body.toString(), /The network no longer has this media, and neither has the phone/);
  });

  for (const mediaStatus of [403, 404, 410]) {
    it(`is 404 in words where the host answers ${mediaStatus} to the new path, too`, async () => {
      const messageId = await receive();
      await installation.phones.faults({ mediaStatus });
      const { status, body } = await download(messageId);
      assert.equal(status, 404);
      assert.match(body.toString(), /the phone was asked to upload it again, try later/);
      await installation.phones.request('DELETE', '/faults');
      assert.deepEqual(await download(messageId), { status: 200, body: bytes });
    });
  }
});
