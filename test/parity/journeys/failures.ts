/** Failures: retries both ways, changed identities, removed devices. */
import { ada, bob } from '../../flows/steps.ts';
import { cyd, type Journey, sendText, write } from '../scenarios.ts';

export const failures: Journey = {
  name: 'failures',
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
