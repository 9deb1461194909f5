/** The Chatwoot bridge between the real service with the sandbox's phones and Chatwoot as its contract plays it. */
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { ada, bob, untilShown } from '../flows/steps.ts';
import { eventually } from '../support/wait.ts';
import { messageShape } from './chatwoot.records.ts';
import { type Rig, cyd, startRig } from './chatwoot.rig.ts';

const media = join(import.meta.dirname, '../support/media');
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('the Chatwoot bridge', () => {
  let rig: Rig;
  let chatwoot: Rig['chatwoot'];
  let installation: Rig['installation'];
  let id: number;
  before(async () => {
    rig = await startRig();
    ({ chatwoot, installation, id } = rig);
  });
  after(() => rig[Symbol.asyncDispose]());

  const writes = async (number: string, message: Record<string, unknown>): Promise<string> =>
    (await installation.phones.write(number, { to: ada, ...message }))[0]!;
  const act = (number: string, message: string, what: string, body: object = {}): Promise<unknown> =>
    installation.phones.request('POST', `/phones/${number}/messages/${message}/${what}`, body);

  it('takes only what is signed, and signed now', async () => {
    const event = { id: 'evt_x', type: 'message.received', timestamp: '', deviceId: id, data: {} };
    const body = JSON.stringify(event);
    const signed = (secret: string, at: Date): Promise<Response> =>
      fetch(`${rig.bridge.url}/handset`, {
        method: 'POST',
        body,
        headers: {
          'webhook-id': 'evt_x',
          'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
          'webhook-signature': new Webhook(secret).sign('evt_x', at, body),
        },
      });
    const other = `whsec_${Buffer.from(randomUUID()).toString('base64')}`;
    assert.equal((await signed(other, new Date())).status, 401);
    assert.equal((await signed(rig.secret, new Date(Date.now() - 600_000))).status, 401);
    assert.equal((await fetch(`${rig.bridge.url}/handset`, { method: 'POST', body })).status, 401);
    const typing = { event: 'conversation_typing_on', conversation: { id: 1, inbox_id: 99 } };
    assert.equal(await chatwoot.post(typing), 204);
    assert.equal(await chatwoot.post(typing, { key: 'wrong' }), 401);
    assert.equal(await chatwoot.post(typing, { at: Date.now() - 600_000 }), 401);
    assert.equal((await fetch(`${rig.bridge.url}/health`)).status, 204);
    assert.equal(
      (await fetch(`${rig.bridge.url}/chatwoot`, { method: 'POST', body: 'x'.repeat(5_000_000) })).status,
      413,
    );
  });

  it('a conversation: a message becomes one, the reply is sent once, quotes, and says how far it has come', async () => {
    const asked = await writes(bob, { text: 'Is it open today?' });
    const question = await rig.untilInChatwoot('Bob', ({ content }) => content === 'Is it open today?');
    assert.equal(question.message_type, 'incoming');
    assert.equal(question.source_id, asked);
    const conversation = chatwoot.conversationWith('Bob');
    assert.equal(conversation.contact.phone_number, `+${bob}`);

    await chatwoot.agentTypes(conversation, true);
    await eventually('Bob sees that somebody writes', async () => {
      const seen = await installation.phones.request<object>('GET', `/phones/${bob}/presence`);
      return JSON.stringify(seen).includes('"state":"text"');
    });
    await chatwoot.agentWrites(conversation, 'a note', { private: true });
    const answer = await chatwoot.agentWrites(conversation, 'Until **six**.', {
      content_attributes: { in_reply_to: question.id },
    });
    const shown = await untilShown(installation, bob, 'Until *six*.');
    assert.equal((shown as unknown as { quotedId: string }).quotedId, asked);
    await rig.untilStatus(answer, 'delivered');
    await act(bob, shown.id, 'read');
    await rig.untilStatus(answer, 'read');
    await eventually('the chat is read', async () => {
      const { chat } = (await installation.api.get(`/devices/${id}/chats/${bob}`)).body;
      return chat.unread === 0;
    });

    // The same webhook again, as after an answer that was lost.
    const repeated = { event: 'message_created', ...messageShape(answer, conversation, chatwoot.url) };
    assert.equal(await chatwoot.post(repeated), 204);
    const quoting = await writes(bob, { text: 'Thanks', quotedMessageId: shown.id });
    const thanks = await rig.untilInChatwoot('Bob', ({ source_id: source }) => source === quoting);
    assert.deepEqual(thanks.content_attributes, { in_reply_to: answer.id });
    const texts = (await installation.phones.messages(bob)).map(({ text }) => text);
    assert.equal(texts.filter((text) => text === 'Until *six*.').length, 1);
    assert.ok(!texts.includes('a note'));
    const outgoing = chatwoot.shown('Bob').filter((one) => one.message_type === 'outgoing' && !one.private);
    assert.deepEqual(outgoing, [answer]);
  });

  it('files travel both ways; what the network does not take as it is goes as a document', async () => {
    await writes(bob, { imageBase64: pixel.toString('base64'), caption: 'a pixel' });
    const picture = await rig.untilInChatwoot('Bob', ({ content }) => content === 'a pixel');
    assert.deepEqual(
      picture.files.map(({ type, bytes }) => [type, bytes.length > 0]),
      [['image/png', true]],
    );
    await writes(bob, { documentBase64: Buffer.from('%PDF-1.4 x').toString('base64'), fileName: 'offer.pdf' });
    const offer = await rig.untilInChatwoot('Bob', ({ files }) => files[0]?.name === 'offer.pdf');
    assert.equal(offer.files[0]!.bytes.toString(), '%PDF-1.4 x');

    const webm = readFileSync(join(media, 'video.webm'));
    const files = [
      { name: 'Grüße.png', type: 'image/png', bytes: pixel },
      { name: 'talk.webm', type: 'video/webm', bytes: webm },
    ];
    const sent = await chatwoot.agentWrites(chatwoot.conversationWith('Bob'), 'Two files', { files });
    await untilShown(installation, bob, 'Two files');
    const document = await eventually('the second file', async () => {
      const messages = await installation.phones.messages(bob);
      return messages.find(({ media: file }) => (file as { fileName?: string } | undefined)?.fileName === 'talk.webm');
    });
    assert.equal(
      (document.media as unknown as { sha256: string }).sha256,
      createHash('sha256').update(webm).digest('hex'),
    );
    await rig.untilStatus(sent, 'delivered');
    const last = (await installation.phones.messages(bob)).filter(({ image }) => image?.caption === 'Two files');
    await act(bob, last[0]!.id, 'read');
    await rig.deliveriesDone();
    assert.equal(sent.status, 'delivered', 'it is read when all its parts are');
    await act(bob, document.id, 'read');
    await rig.untilStatus(sent, 'read');
  });

  it('edits, reactions and deletions reach the other side', async () => {
    const first = await writes(bob, { text: 'At ten' });
    const original = await rig.untilInChatwoot('Bob', ({ content }) => content === 'At ten');
    await act(bob, first, 'edit', { text: 'At eleven' });
    const edit = await rig.untilInChatwoot('Bob', ({ content }) => content === '✏️ At eleven');
    assert.deepEqual(edit.content_attributes, { in_reply_to: original.id });
    await act(bob, first, 'revoke');
    await eventually('it is deleted in Chatwoot', () => original.content_attributes.deleted);

    const answer = await chatwoot.agentWrites(chatwoot.conversationWith('Bob'), 'See you');
    const { id: answered } = await untilShown(installation, bob, 'See you');
    await act(bob, answered, 'react', { emoji: '👍' });
    const reaction = await rig.untilInChatwoot('Bob', ({ content }) => content === `+${bob} reacted with 👍`);
    assert.ok(reaction.private);
    await chatwoot.agentDeletes(answer);
    await eventually('it is deleted on the phone', async () =>
      (await installation.phones.messages(bob)).some(
        (one) => one.id === answered && (one as { revoked?: boolean }).revoked,
      ),
    );
  });

  it('what is written on the phone or by another program is shown once and not sent again', async () => {
    await installation.phones.write(ada, { to: bob, text: 'From my phone' });
    const own = await rig.untilInChatwoot('Bob', ({ content }) => content === 'From my phone');
    assert.equal(own.message_type, 'outgoing');
    await installation.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message: 'From a shop' });
    await rig.untilInChatwoot('Bob', ({ content }) => content === 'From a shop');
    await rig.untilStatus(own, 'delivered');
    await rig.deliveriesDone();
    for (const text of ['From my phone', 'From a shop']) {
      assert.equal(chatwoot.shown('Bob').filter(({ content }) => content === text).length, 1);
      assert.equal((await installation.phones.messages(bob)).filter((one) => one.text === text).length, 1);
    }
  });

  it('a group is one conversation, with the names of those who write', async () => {
    const { jid } = await installation.phones.request<{ jid: string }>('POST', '/groups', {
      subject: 'Allotment',
      owner: bob,
      participants: [ada, cyd],
    });
    await writes(bob, { to: jid, text: 'Who has the key?' });
    await writes(cyd, { to: jid, text: 'Me' });
    await rig.untilInChatwoot('Allotment', ({ content }) => content === `**Bob (+${bob}):** Who has the key?`);
    await rig.untilInChatwoot('Allotment', ({ content }) => content === `**Cyd (+${cyd}):** Me`);
    await chatwoot.agentWrites(chatwoot.conversationWith('Allotment'), 'Good');
    assert.equal((await untilShown(installation, cyd, 'Good')).chat, jid);
    assert.equal(chatwoot.conversations.filter(({ contact }) => contact.name === 'Allotment').length, 1);
  });

  it('an agent begins a conversation; one without a number, or with a wrong one, is told why nothing was sent', async () => {
    const known = chatwoot.beginConversation(chatwoot.addContact('Cyd of the garden', `+${cyd}`));
    await chatwoot.agentWrites(known, 'Hello Cyd');
    await untilShown(installation, cyd, 'Hello Cyd');
    await writes(cyd, { text: 'Hello yourself' });
    await rig.untilInChatwoot('Cyd of the garden', ({ content }) => content === 'Hello yourself');
    await rig.deliveriesDone();
    assert.equal(chatwoot.shown('Cyd of the garden').length, 2);

    const lost = await chatwoot.agentWrites(chatwoot.beginConversation(chatwoot.addContact('Nobody', null)), 'Hello');
    await rig.untilStatus(lost, 'failed');
    assert.match(String(lost.content_attributes.external_error), /no phone number/);
    const wrong = chatwoot.beginConversation(chatwoot.addContact('Wrong', '+4915559999999'));
    const refused = await chatwoot.agentWrites(wrong, 'Hello again');
    await rig.untilStatus(refused, 'failed');
    assert.match(String(refused.content_attributes.external_error), /no account/);
    wrong.contact.phone_number = `+${cyd}`;
    await chatwoot.agentRetries(refused);
    await untilShown(installation, cyd, 'Hello again');
    await rig.untilStatus(refused, 'delivered');
  });

  it('a person whose number an agent wrote in its other spelling stays one contact', async () => {
    const registered = '551187654321';
    await installation.phones.add(registered, 'Bea');
    const { contact } = chatwoot.beginConversation(chatwoot.addContact('Bea of the agent', '+5511987654321'));
    await writes(registered, { text: 'It is me' });
    await rig.untilInChatwoot('Bea of the agent', ({ content }) => content === 'It is me');
    assert.equal(contact.phone_number, '+5511987654321');
    await rig.deliveriesDone();
  });

  it('a person who is known by a LID alone, and later by a number, stays one contact', async () => {
    const dora = '4915550004444';
    const { lid } = await installation.phones.add(dora, 'Dora');
    await installation.phones.faults({ hideNumbers: true });
    await writes(dora, { text: 'Guess who' });
    await rig.untilInChatwoot('Dora', ({ content }) => content === 'Guess who');
    const { contact } = chatwoot.conversationWith('Dora');
    assert.deepEqual([contact.phone_number, contact.identifier], [null, lid]);
    await chatwoot.agentWrites(chatwoot.conversationWith('Dora'), 'Dora?');
    await untilShown(installation, dora, 'Dora?');
    await installation.phones.faults({});
    await writes(dora, { text: 'Yes' });
    await rig.untilInChatwoot('Dora', ({ content }) => content === 'Yes');
    assert.equal(contact.phone_number, `+${dora}`);
    await rig.deliveriesDone();
    assert.deepEqual(
      chatwoot.shown('Dora').map(({ content }) => content),
      ['Guess who', 'Dora?', 'Yes'],
    );
  });

  it('exactly once: answers lost on either side, the bridge restarted, the network refusing', async () => {
    const lost = ['POST /conversations/{}/messages'];
    chatwoot.losesAnswer = (operation) => operation === lost[0] && lost.shift() !== undefined;
    await writes(bob, { text: 'Are you there?' });
    await rig.untilInChatwoot('Bob', ({ content }) => content === 'Are you there?');
    // And at the same time one of Handset, so that its event comes before the bridge knows that the reply has been sent.
    rig.way.losesAnswer = (path) => path.endsWith('/messages/text') && rig.way.lost === 0;
    const known = 'Cyd of the garden';
    const greeting = await chatwoot.agentWrites(chatwoot.conversationWith(known), 'Your turn');
    await rig.untilStatus(greeting, 'delivered');
    await rig.bridge.close();
    await rig.start();
    await rig.deliveriesDone();
    assert.deepEqual([lost.length, rig.way.lost], [0, 1]);
    assert.equal(chatwoot.shown('Bob').filter(({ content }) => content === 'Are you there?').length, 1);
    assert.equal(chatwoot.shown(known).filter(({ content }) => content === 'Your turn').length, 1);
    assert.equal((await installation.phones.messages(cyd)).filter(({ text }) => text === 'Your turn').length, 1);

    await installation.phones.faults({ rejectSends: true });
    const answer = await chatwoot.agentWrites(chatwoot.conversationWith('Bob'), 'Yes, sorry');
    await rig.bridge.close();
    const missed = await chatwoot.agentWrites(chatwoot.conversationWith(known), 'Are you still there?');
    assert.equal(missed.status, 'failed');
    await installation.phones.faults({});
    await rig.start();
    await chatwoot.agentRetries(missed);
    await rig.untilStatus(missed, 'delivered');
    await untilShown(installation, bob, 'Yes, sorry');
    await rig.untilStatus(answer, 'delivered');
    assert.equal((await installation.phones.messages(bob)).filter(({ text }) => text === 'Yes, sorry').length, 1);
    assert.equal(chatwoot.shown('Bob').filter(({ content }) => content === 'Yes, sorry').length, 1);
  });

  it('a resolved conversation is reopened by the next message', async () => {
    const conversation = chatwoot.conversationWith('Bob');
    await chatwoot.resolve(conversation);
    await writes(bob, { text: 'One more thing' });
    await rig.untilInChatwoot('Bob', ({ content }) => content === 'One more thing');
    assert.equal(conversation.status, 'open');
    assert.equal(chatwoot.conversations.filter(({ contact }) => contact.name === 'Bob').length, 1);
  });

  it('no request broke the contract, and no warning names a person', () => {
    assert.deepEqual(chatwoot.breaches, []);
    assert.ok(rig.warnings.length > 0);
    for (const warning of rig.warnings) assert.doesNotMatch(warning, /49155\d+|Bob|Yes, sorry|Are you there/);
  });
});
