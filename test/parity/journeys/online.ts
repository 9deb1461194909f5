/** An account that appears online: Handset with the setting `online`, as stock Baileys does it anyway. */
import { bob } from '../../flows/steps.ts';
import { type Journey, write } from '../scenarios.ts';

export const online: Journey = {
  name: 'online',
  scenarios: [
    { name: 'pairing by QR', run: (client) => client.link() },
    {
      name: 'login, online',
      async before(client) {
        await client.appearOnline();
        await client.disconnect();
      },
      run: (client) => client.connect(),
    },
    { name: 'text received, online', run: (client) => write(client, bob, { text: 'are you there?' }) },
  ],
};
