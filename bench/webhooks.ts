/**
 * `npm run bench:webhooks -- [--messages N] [--rounds N] [--pending N] [--drained N] [--seconds S]`: webhooks from a phone to the
 * receiver, the drain of a long queue, and what a dead endpoint does to its neighbours.
 */
import { parseArgs } from 'node:util';
import { benchBacklog } from './webhooks/backlog.ts';
import { benchNeighbours } from './webhooks/neighbours.ts';
import { benchPhones } from './webhooks/phones.ts';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '4000' },
    rounds: { type: 'string', default: '5' },
    pending: { type: 'string', default: '100000' },
    /** Of these pending ones; all without it. */
    drained: { type: 'string' },
    chats: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '8' },
    only: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
const pending = Number(values.pending);
const wanted = (name: string): boolean => values.only === undefined || values.only === name;

if (wanted('phones')) await benchPhones({ messages: Number(values.messages), rounds });
if (wanted('backlog'))
  await benchBacklog({ pending, drained: Number(values.drained ?? pending), chats: Number(values.chats) });
if (wanted('neighbours')) await benchNeighbours({ rounds, seconds: Number(values.seconds) });
