/** Devices that have been linked and connected before, written into the store of a service that is not running. */
import { type AuthenticationCreds, WA_CERT_DETAILS } from 'baileys';
import { makeLog } from '../../src/log.ts';
import { openStore } from '../../src/store/open.ts';
import { accountOf } from '../../src/whatsapp/account.ts';
import { serializeCredentials } from '../../src/whatsapp/signal/credentials.ts';
import { serveCommands } from '../support/child.ts';
import { link, logIn, type Place } from './client.ts';

/** As many prekeys as the light client has published for it. */
const published = 812;

/** Linked, its keys published, and gone again. */
const linked = async (place: Place, number: string): Promise<AuthenticationCreds> => {
  const creds = await link(place, number);
  const { socket } = await logIn(place, creds);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.close();
  await closed;
  return Object.assign(creds, { nextPreKeyId: published + 1, firstUnuploadedPreKeyId: published + 1 });
};

export interface Fill {
  readonly place: Place;
  readonly dataDir: string;
  readonly numbers: readonly string[];
}

serveCommands({
  /** The first user's devices; the service has made the user at its first start. */
  async fill({ place, dataDir, numbers }: Fill) {
    WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(place.rootKey, 'hex');
    const stores = await openStore({ dataDir, secret: null, log: makeLog('silent') });
    try {
      const [user] = await stores.users.list();
      const left = [...numbers];
      const worker = async (): Promise<void> => {
        for (let number = left.pop(); number !== undefined; number = left.pop()) {
          const creds = await linked(place, number);
          const device = { userId: user!.id, name: number, webhookUrl: null, webhookEvents: [] };
          const { id } = await stores.devices.create(device, Date.now());
          await stores.credentials.commit(id, { credentials: serializeCredentials(creds), account: accountOf(creds) });
        }
      };
      await Promise.all(Array.from({ length: 16 }, worker));
    } finally {
      await stores.close();
    }
  },
});
