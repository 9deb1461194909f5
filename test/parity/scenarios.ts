/** Scenarios: what a client says in each of them is compared. */
import { ada, bob } from '../flows/steps.ts';
import { eventually } from '../support/wait.ts';
import type { Addressing, Client } from './clients.ts';

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
  /** The network on which stock Baileys makes this journey: usually the lenient one, since it writes to phone numbers. */
  readonly stock?: Addressing;
  readonly scenarios: readonly Scenario[];
}

export const jidOf = async ({ phones }: Client, number: string): Promise<string> => (await phones.get(number)).jid;

export const write = async ({ phones }: Client, from: string, message: Record<string, unknown>): Promise<string> =>
  (await phones.write(from, { to: ada, ...message }))[0]!;

/** Waits until the phone of `number` shows a message. */
export const shown = ({ phones }: Client, number: string, text: string) =>
  eventually(`${number} shows ${text}`, async () =>
    (await phones.messages(number)).find((message) => message.text === text),
  );

export const sendText = async (client: Client, number: string, text: string): Promise<void> => {
  await client.sendText(await jidOf(client, number), text);
  await shown(client, number, text);
};

/** A change of an earlier message of Bob's. */
export const change = async (client: Client, path: string, body: object = {}): Promise<void> => {
  const id = await write(client, bob, { text: `to be changed by ${path}` });
  await client.phones.request('POST', `/phones/${bob}/messages/${id}/${path}`, body);
};

export const groupOf = async (client: Client): Promise<string> => {
  const members = { subject: 'friends', owner: ada, participants: [bob, cyd] };
  return (await client.phones.request<{ jid: string }>('POST', '/groups', members)).jid;
};

export const received = (name: string, message: Record<string, unknown>): Scenario => ({
  name: `${name} received`,
  run: (client) => write(client, bob, message),
});

/** Bob asks something, and answers it himself. */
export const pollAndVote = async (client: Client): Promise<void> => {
  const id = await write(client, bob, { poll: { question: 'when?', options: ['now', 'never'] } });
  await client.phones.request('POST', `/phones/${bob}/messages/${id}/vote`, { options: ['now'] });
};
