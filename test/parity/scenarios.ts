/** Journeys that every client makes. Each step is a scenario: what a client says in it is compared. */
import { ada, bob } from '../flows/steps.ts';
import { eventually } from '../support/wait.ts';
import type { Client } from './clients.ts';
import { jpeg } from './picture.ts';

export const cyd = '4915550003333';
export const dot = '4915550004444';

export interface Scenario {
  readonly name: string;
  /** Done before the recording of this scenario begins. */
  readonly before?: (client: Client) => Promise<unknown>;
  readonly run: (client: Client) => Promise<unknown>;
}

export interface Journey {
  readonly name: string;
  readonly scenarios: readonly Scenario[];
}

const jidOf = async ({ phones }: Client, number: string): Promise<string> => (await phones.get(number)).jid;

const write = async ({ phones }: Client, from: string, message: Record<string, unknown>): Promise<string> =>
  (await phones.write(from, { to: ada, ...message }))[0]!;

/** Waits until the phone of `number` shows a message. */
const shown = ({ phones }: Client, number: string, text: string) =>
  eventually(`${number} shows ${text}`, async () =>
    (await phones.messages(number)).find((message) => message.text === text),
  );

const sendText = async (client: Client, number: string, text: string): Promise<void> => {
  await client.sendText(await jidOf(client, number), text);
  await shown(client, number, text);
};

/** A change of an earlier message of Bob's. */
const change = async (client: Client, path: string, body: object = {}): Promise<void> => {
  const id = await write(client, bob, { text: `to be changed by ${path}` });
  await client.phones.request('POST', `/phones/${bob}/messages/${id}/${path}`, body);
};

const groupOf = async (client: Client): Promise<string> => {
  const members = { subject: 'friends', owner: ada, participants: [bob, cyd] };
  return (await client.phones.request<{ jid: string }>('POST', '/groups', members)).jid;
};

const received = (name: string, message: Record<string, unknown>): Scenario => ({
  name: `${name} received`,
  run: (client) => write(client, bob, message),
});

const conversation: Journey = {
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
    received('poll', { poll: { question: 'when?', options: ['now', 'never'] } }),
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

const troubles: Journey = {
  name: 'troubles',
  scenarios: [
    { name: 'pairing by code', run: (client) => client.linkByCode() },
    {
      name: 'retry asked of us',
      async before(client) {
        await sendText(client, bob, 'before');
        await client.phones.request('POST', `/phones/${bob}/lose-sessions`);
      },
      run: (client) => sendText(client, bob, 'after the loss'),
    },
    {
      name: 'retry asked by us',
      run: (client) => write(client, cyd, { text: 'garbled', withheld: 'garbled' }),
    },
    {
      name: 'identity change',
      before: ({ phones }) => phones.request('POST', `/phones/${bob}/reinstall`),
      run: (client) => sendText(client, bob, 'to the new phone'),
    },
    {
      name: 'device linked to the other account',
      before: (client) => client.linkOther(bob),
      run: (client) => sendText(client, bob, 'to two devices'),
    },
    { name: 'removed by the phone', run: ({ phones }) => phones.request('DELETE', `/phones/${ada}/linked-devices/1`) },
  ],
};

export const journeys: readonly Journey[] = [conversation, troubles];
