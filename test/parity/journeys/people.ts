/** Mentions, reactions and blocks as people of today are named: by LID, and some by nothing else. */
import { ada, bob } from '../../flows/steps.ts';
import { eventually } from '../../support/wait.ts';
import type { Client } from '../clients.ts';
import { cyd, dot, groupOf, jidOf, type Scenario, shown, write } from '../scenarios.ts';

const mention = async (client: Client): Promise<void> => {
  const group = await groupOf(client);
  const jid = await jidOf(client, bob);
  const text = `@${bob} hello`;
  await client.act({
    stock: (socket) => socket.sendMessage(group, { text, mentions: [jid] }),
    ours: (call) => call('post', '/messages/text', { to: group, message: text, mentions: [bob] }),
  });
  await eventually('the mention', async () =>
    (await client.phones.messages(cyd)).find((each) => each.text?.endsWith('hello')),
  );
};

/** A message of Bob's in the announcement group of a community, which the client has. */
const announced = async (client: Client): Promise<{ readonly group: string; readonly id: string }> => {
  const { phones } = client;
  const body = { subject: 'News', owner: bob, participants: [cyd] };
  const { jid: group } = await phones.request<{ jid: string }>('POST', '/groups', body);
  await phones.request('PATCH', `/groups/${group}`, { community: 'Club', announcements: true });
  await phones.request('PATCH', `/groups/${group}`, { add: [ada] });
  const [id] = await phones.write(bob, { to: group, text: 'the news' });
  await shown(client, cyd, 'the news');
  await eventually('it was delivered', async () =>
    (await phones.messages(bob)).some((each) => each.id === id && each.state === 'delivered'),
  );
  return { group, id: id! };
};

const react = async (client: Client): Promise<void> => {
  const { group, id } = await announced(client);
  const { lid: participant } = await client.phones.get(bob);
  const key = { remoteJid: group, id, fromMe: false, participant };
  await client.act({
    stock: (socket) => socket.sendMessage(group, { react: { text: '👍', key } }),
    ours: async (call) => {
      await eventually('the message is stored', () =>
        call('get', `/messages/${id}`).then(
          () => true,
          () => false,
        ),
      );
      await call('put', `/messages/${id}/reaction`, { reaction: '👍' });
    },
  });
};

const block = async (client: Client): Promise<void> => {
  await write(client, dot, { text: 'guess who' });
  const { lid } = await client.phones.get(dot);
  await client.act({
    // It knows no number for the LID, and asks for nothing.
    stock: (socket) => socket.updateBlockStatus(lid, 'block').catch(() => undefined),
    ours: (call) => call('put', `/contacts/${lid}`, { blocked: true }),
  });
};

export const people: readonly Scenario[] = [
  { name: 'a mention in a group of LIDs', run: mention },
  { name: 'a reaction in an announcement group', run: react },
  {
    name: 'somebody without a number blocked',
    before: ({ phones }) => phones.behave(dot, { hidesNumber: true }),
    run: block,
  },
];
