/** Many light clients in a process of their own. */
import { WA_CERT_DETAILS } from 'baileys';
import { serveCommands } from '../support/child.ts';
import { link, logIn, type Place } from './client.ts';
import { type Answers, Sender } from './sender.ts';

let place: Place;
let connected = 0;
const senders: Sender[] = [];

/** Some at a time. */
const atOnce = async <T>(list: readonly T[], width: number, work: (one: T) => Promise<void>): Promise<void> => {
  const left = [...list];
  const worker = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: width }, worker));
};

serveCommands({
  start(given: Place) {
    place = given;
    WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(given.rootKey, 'hex');
  },
  /** Links and logs in one client for each number. How many are connected. */
  async connect(numbers: readonly string[]) {
    await atOnce(numbers, 16, async (number) => {
      const creds = await link(place, number);
      const answers: Answers = new Map();
      const line = await logIn(place, creds, answers);
      senders.push(new Sender(creds, line, answers));
      connected += 1;
      line.socket.once('close', () => (connected -= 1));
    });
    return connected;
  },
  connected: () => connected,
  /** Every sender opens its chat with one of these; they take turns. */
  async open(lids: readonly string[]) {
    await atOnce([...senders.entries()], 16, ([index, sender]) => sender.open(lids[index % lids.length]!));
  },
  /** Sends `count` texts in all, each client one after the other. */
  async send({ count, to }: { count: number; to: readonly string[] }) {
    let left = count;
    await Promise.all(
      senders.map(async (sender, index) => {
        while (left > 0) {
          left -= 1;
          await sender.send(to[index % to.length]!, `light ${left}`);
        }
      }),
    );
  },
  cpu: () => process.cpuUsage(),
});
