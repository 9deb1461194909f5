/** Messages that come under LIDs. Stock Baileys only receives here, so it can be on the strict network, too. */
import type { Recorded } from '../../../sandbox/src/base/recorder.ts';
import { eventually } from '../../support/wait.ts';
import { ada, bob } from '../../flows/steps.ts';
import { change, cyd, groupOf, type Journey, pollAndVote, write } from '../scenarios.ts';

const isNumberless = (entry: Recorded, from: string): boolean =>
  entry.kind === 'stanza' &&
  entry.from === 'network' &&
  entry.node.tag === 'message' &&
  entry.node.attrs.from === from &&
  entry.node.attrs.sender_pn === undefined;

export const lid: Journey = {
  name: 'LIDs',
  stock: 'strict',
  scenarios: [
    { name: 'pairing by QR', run: (client) => client.link() },
    { name: 'text of a LID received', run: (client) => write(client, bob, { text: 'by LID' }) },
    {
      name: 'actions of a LID received',
      async run(client) {
        await change(client, 'edit', { text: 'changed' });
        await change(client, 'react', { emoji: '👍' });
        await change(client, 'revoke');
        await pollAndVote(client);
      },
    },
    {
      name: 'texts of LIDs in a group received',
      async run(client) {
        const group = await groupOf(client);
        await client.phones.write(bob, { to: group, text: 'hello' });
        await client.phones.write(cyd, { to: group, text: 'hello, too' });
      },
    },
    {
      name: 'text of a LID without a number received',
      before: ({ phones }) => phones.faults({ addressing: 'strict', hideNumbers: true }),
      async run(client) {
        await write(client, cyd, { text: 'who am I?' });
        const { lid: from } = await client.phones.get(cyd);
        await eventually('a message without a number', () =>
          client.recorded.some((entry) => isNumberless(entry, from)),
        );
      },
    },
    {
      name: 'retry asked of a LID',
      run: (client) => write(client, cyd, { text: 'garbled', withheld: 'garbled' }),
    },
    { name: 'call of a LID', run: ({ phones }) => phones.request('POST', `/phones/${bob}/call`, { to: ada }) },
  ],
};
