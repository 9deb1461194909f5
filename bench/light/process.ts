/** Many light clients in a process of their own. */
import { WA_CERT_DETAILS } from 'baileys';
import { serveCommands } from '../support/child.ts';
import { link, logIn, type Place } from './client.ts';

let place: Place;
let connected = 0;

serveCommands({
  start(given: Place) {
    place = given;
    WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(given.rootKey, 'hex');
  },
  /** Links and logs in one client for each number, some at a time. How many are connected. */
  async connect(numbers: readonly string[]) {
    const left = [...numbers];
    const worker = async (): Promise<void> => {
      for (let number = left.pop(); number !== undefined; number = left.pop()) {
        const { socket } = await logIn(place, await link(place, number));
        connected += 1;
        socket.once('close', () => (connected -= 1));
      }
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    return connected;
  },
  connected: () => connected,
});
