/** From the first link to the logout: what an account says every day. */
import { ada, bob } from '../../flows/steps.ts';
import { jpeg } from '../picture.ts';
import { acts } from './acts.ts';
import { people } from './people.ts';
import {
  change,
  cyd,
  dot,
  groupOf,
  type Journey,
  jidOf,
  pollAndVote,
  received,
  sendText,
  shown,
  write,
} from '../scenarios.ts';

export const conversation: Journey = {
  name: 'a conversation',
  scenarios: [
    { name: 'pairing by QR', run: (client) => client.link() },
    { name: 'text to a new person', run: (client) => sendText(client, bob, 'hello') },
    { name: 'text to a known person', run: (client) => sendText(client, bob, 'again') },
    received('text', { text: 'hello to you' }),
    { name: 'text after an answer', run: (client) => sendText(client, bob, 'and again') },
    { name: 'image', run: async (client) => client.sendImage(await jidOf(client, bob), await jpeg()) },
    {
      name: 'image received',
      run: async (client) => write(client, bob, { imageBase64: (await jpeg()).toString('base64') }),
    },
    received('location', { location: { latitude: 1, longitude: 2 } }),
    received('contact', { contact: { name: 'Dot', number: dot } }),
    { name: 'poll and vote received', run: pollAndVote },
    {
      name: 'sticker, voice message, document and video received',
      async run(client) {
        const base64 = (await jpeg()).toString('base64');
        await write(client, bob, { stickerBase64: base64 });
        await write(client, bob, { type: 'voice', audioBase64: base64, seconds: 3 });
        await write(client, bob, { documentBase64: base64, fileName: 'plan.pdf', mimetype: 'application/pdf' });
        await write(client, bob, { videoBase64: base64, caption: 'look' });
      },
    },
    received('view-once message', { text: 'a secret', withheld: 'viewOnce' }),
    { name: 'edit received', run: (client) => change(client, 'edit', { text: 'changed' }) },
    { name: 'revoke received', run: (client) => change(client, 'revoke') },
    { name: 'reaction received', run: (client) => change(client, 'react', { emoji: '👍' }) },
    {
      name: 'status post received',
      run: ({ phones }) => phones.request('POST', `/phones/${bob}/status`, { text: 'hi' }),
    },
    { name: 'call', run: ({ phones }) => phones.request('POST', `/phones/${bob}/call`, { to: ada }) },
    {
      name: 'group',
      run: async (client) => {
        const group = await groupOf(client);
        await client.sendText(group, 'hello all');
        await shown(client, cyd, 'hello all');
        await client.phones.write(bob, { to: group, text: 'hello you' });
      },
    },
    ...acts,
    ...people,
    {
      name: 'login with messages waiting',
      async before(client) {
        await client.disconnect();
        for (const text of ['one', 'two', 'three']) await write(client, bob, { text });
      },
      run: (client) => client.connect(),
    },
    {
      name: 'later login',
      before: (client) => client.disconnect(),
      run: (client) => client.connect(),
    },
    { name: 'logout', run: (client) => client.logOut() },
  ],
};
