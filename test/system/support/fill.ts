/** Devices that have been linked and connected before, written into the store of a service that is not running. */
import { type AuthenticationCreds, WA_CERT_DETAILS } from 'baileys';
import { makeLog } from '../../../src/log.ts';
import { openStore } from '../../../src/store/open-sqlite.ts';
import { accountOf } from '../../../src/whatsapp/identity/account.ts';
import { serializeCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import { serveCommands } from './child.ts';
import { link, logIn } from './light-client.ts';
import type { Place } from './settings.ts';

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
  /** The webhook of the devices; null: none. */
  readonly webhookUrl: string | null;
}

/** Credentials with which a socket without a service logs in. */
export interface Linked {
  /** As `parseCredentials` reads them. */
  readonly credentials: readonly string[];
  /** The number of prekeys of each. */
  readonly published: number;
}

/** Some at a time. */
const linkAll = async (
  place: Place,
  numbers: readonly string[],
  take: (number: string, creds: AuthenticationCreds, index: number) => Promise<void> | void,
): Promise<void> => {
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(place.rootKey, 'hex');
  const left = numbers.entries();
  const worker = async (): Promise<void> => {
    for (const [index, number] of left) await take(number, await linked(place, number), index);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
};

serveCommands({
  /** The first user's devices; the service has made the user at its first start. */
  async fill({ place, dataDir, numbers, webhookUrl }: Fill) {
    const stores = await openStore({ dataDir, secret: null, log: makeLog('silent') });
    try {
      const [user] = await stores.users.list();
      const webhookEvents = ['message.received'] as const;
      await linkAll(place, numbers, async (number, creds) => {
        const { id } = await stores.devices.create(
          { userId: user!.id, name: number, webhookUrl, webhookEvents: webhookUrl === null ? [] : webhookEvents },
          Date.now(),
        );
        await stores.changes.commit(id, { credentials: serializeCredentials(creds), account: accountOf(creds) });
      });
    } finally {
      await stores.close();
    }
  },
  /** For sockets without a service. */
  async link({ place, numbers }: Pick<Fill, 'place' | 'numbers'>): Promise<Linked> {
    const credentials: string[] = [];
    await linkAll(place, numbers, (_, creds, index) => {
      credentials[index] = Buffer.from(serializeCredentials(creds)).toString();
    });
    return { credentials, published };
  },
});
