/** Each kind of message that a phone writes: another phone shows it, and stock Baileys reads the same. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cases, file, imageBase64 } from './cases.ts';
import { type Kinds, plain, startKinds } from './rig.ts';

let rig: Kinds;
before(async () => {
  rig = await startKinds();
});
after(() => rig[Symbol.asyncDispose]());

for (const { name, body, shown, read } of cases) {
  test(`${name} arrives as it was written`, async () => {
    const [id] = await rig.write(body);
    assert.partialDeepStrictEqual(await rig.shown(id!), shown);
    assert.partialDeepStrictEqual(plain(await rig.content(id!)), read);
    assert.partialDeepStrictEqual(rig.bob.view.find(id!), { ...shown, fromMe: true });
  });
}

test('an answer quotes what is on the phone, whichever kind it is', async () => {
  const [place] = await rig.write({ location: { latitude: 1, longitude: 2, name: 'Gate' } });
  const [id] = await rig.write({ text: 'there', quotedMessageId: place });
  const from = rig.bob.account.jid;
  assert.partialDeepStrictEqual(await rig.shown(id!), {
    quotedId: place,
    quoted: { id: place, from, type: 'location', text: null },
  });
  const { extendedTextMessage: read } = await rig.content(id!);
  assert.equal(read?.contextInfo?.quotedMessage?.locationMessage?.name, 'Gate');
});

test('a body that cannot be a message is refused in words', async () => {
  const to = '491510000001';
  const refusals: readonly (readonly [object, RegExp])[] = [
    [{ to, type: 'location', text: 'x' }, /type is location, so location must be given, not text/],
    [{ to, type: 'letter', text: 'x' }, /type must be one of text, image/],
    [{ to, location: { latitude: 91, longitude: 0 } }, /latitude must be a number from -90 to 90/],
    [{ to, location: { latitude: 1, longitude: 0, high: 3 } }, /high is unknown in location/],
    [{ to, contacts: [] }, /contacts must be an array of 1 to/],
    [{ to, contacts: [{ name: 'A', numbers: ['x'] }] }, /numbers\[0\] must be a phone number/],
    [{ to, poll: { question: 'x', options: ['a', 'a'] } }, /options must differ/],
    [{ to, poll: { question: 'x', options: ['a', 'b'], maxAnswers: 3 } }, /maxAnswers must be 2 at most/],
    [{ to, event: { name: 'x', startsAt: 'noon' } }, /startsAt must be a time in ISO 8601/],
    [{ to, text: 'x', seconds: 3 }, /seconds goes with videos and recordings only/],
    [{ to, text: 'x', viewOnce: true }, /viewOnce goes with images/],
    [{ to, text: 'x', link: { url: 'https://example.com' } }, /link.url must be in the text/],
    [{ to, text: 'x', forwarded: 0 }, /forwarded must be a whole number/],
    [{ to, audioBase64: file, waveform: [1] }, /waveform goes with voice messages only/],
    [{ to, album: [{ imageBase64 }] }, /album must be an array of 2 to/],
    [{ to, album: [{ imageBase64 }, { caption: 'x' }] }, /album\[1\] must have either imageBase64 or videoBase64/],
    [{ to, album: [{ imageBase64 }, { imageBase64 }], count: 2 }, /count does not go with an album/],
    [{ to, text: 'x', quotedId: 'a', quotedMessageId: 'a' }, /only one of quotedMessageId, quotedId and quotedStatus/],
    [{ to, selection: { id: 'x', text: 'x', from: 'wheel' } }, /from must be one of button, list, template, flow/],
    [{ to, payment: { amount: 1, currency: 'euro' } }, /currency must be a code of ISO 4217/],
    [{ to, callLog: { outcome: 'long' } }, /outcome must be one of connected, missed/],
    [{ to, callLog: { outcome: 'missed' }, forwarded: 1 }, /forwarded does not go with callLog/],
    [{ to, payment: { amount: 1, currency: 'EUR' }, forwarded: 1 }, /give it a caption/],
    [{ to, protobuf: 'CgF4', text: 'x' }, /text does not go with a raw message/],
    [{ to, text: 'x', stanza: { type: 'poll' } }, /stanza goes with protobuf or message only/],
    [{ to, message: { conversatoin: 'x' } }, /message.conversatoin is no field of the protobuf/],
    [{ to, message: { imageMessage: { width: 'wide', heigth: 3 } } }, /message.imageMessage.heigth is no field/],
  ];
  for (const [body, words] of refusals) assert.match(await rig.refused(body), words);
  assert.match(await rig.refused({ to, text: 'x', mentions: ['4900000'] }, 404), /mentions: there is no account/);
});
