/** An account that appears online: Handset with the setting `online`, as stock Baileys does it anyway. It also writes to people whom it does not know. */
import { bob } from '../../flows/steps.ts';
import { jpeg } from '../picture.ts';
import { cyd, dot, type Journey, jidOf, shown, write } from '../scenarios.ts';

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
    {
      name: 'text to a number',
      async run(client) {
        await client.sendToNumber(dot, 'is it you?');
        await shown(client, dot, 'is it you?');
      },
    },
    {
      name: 'image to a new person',
      run: async (client) => client.sendImage(await jidOf(client, cyd), await jpeg()),
    },
  ],
};
