/** Reports about Chatwoot: files that it refuses, addresses that do not work, stickers that stood still. */
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ada, bob, untilShown } from '../flows/steps.ts';
import { type Rig, startRig } from '../integrations/chatwoot.rig.ts';
import { eventually } from '../support/wait.ts';

const media = join(import.meta.dirname, '../support/media');
const pixel = readFileSync(join(media, 'picture.png'));

describe('Chatwoot in the field', () => {
  let rig: Rig;
  let chatwoot: Rig['chatwoot'];
  let installation: Rig['installation'];
  before(async () => {
    rig = await startRig();
    ({ chatwoot, installation } = rig);
  });
  after(() => rig[Symbol.asyncDispose]());

  const writes = (number: string, message: Record<string, unknown>): Promise<unknown> =>
    installation.phones.write(number, { to: ada, ...message });

  it('a file or a text that Chatwoot refuses for good is told in the conversation, and holds nothing back', async () => {
    await writes(bob, { text: 'Hello' });
    await rig.untilInChatwoot('Bob', ({ content }) => content === 'Hello');
    chatwoot.refusal = (content, files) => {
      if (files.length > 0) return 'Attachments size is too big';
      return content === 'refused' ? 'Content is too long' : null;
    };
    await writes(bob, { imageBase64: pixel.toString('base64'), caption: 'the receipt' });
    const shown = await rig.untilInChatwoot('Bob', ({ content }) => content.startsWith('the receipt'));
    assert.match(shown.content, /refused the file ".*\.png": Attachments size is too big/);
    await writes(bob, { text: 'refused' });
    const note = await rig.untilInChatwoot('Bob', ({ content }) => content.includes('(Content is too long)'));
    assert.ok(note.private);
    chatwoot.refusal = () => null;
    await writes(bob, { text: 'and it goes on' });
    await rig.untilInChatwoot('Bob', ({ content }) => content === 'and it goes on');
  });

  it("the agent's text is sent, whatever the address of the attachment is", async () => {
    const conversation = chatwoot.conversationWith('Bob');
    const file = { name: 'offer.png', type: 'image/png', bytes: pixel };
    await chatwoot.agentWrites(conversation, 'without an address', { files: [file], addressless: true });
    await untilShown(installation, bob, 'without an address');
    const note = await rig.untilInChatwoot('Bob', ({ content }) => content.includes('An attachment was not sent'));
    assert.ok(note.private);
    await chatwoot.agentWrites(conversation, 'badly encoded', { files: [file], encodedName: '100%25%E0%A4%A.png' });
    await untilShown(installation, bob, 'badly encoded');
  });

  it('a sticker stays one, and a moving picture moves', async () => {
    const conversation = chatwoot.conversationWith('Bob');
    const sticker = { name: 'wave.webp', type: 'image/webp', bytes: readFileSync(join(media, 'animated.webp')) };
    await chatwoot.agentWrites(conversation, 'a wave', { files: [sticker] });
    await untilShown(installation, bob, 'a wave');
    await eventually('the sticker', async () =>
      (await installation.phones.messages(bob)).some(({ type }) => type === 'sticker'),
    );
  });
});
