/** A thread of sessions: the driver as it is, over the ports of the main thread. */
import { parentPort } from 'node:worker_threads';
import { systemClock } from '../clock.ts';
import type { MessageStore, SessionCredentials } from '../domain/stores.ts';
import { realEndpoint, sandboxEndpoint } from '../whatsapp/endpoint.ts';
import { MessageIds } from '../whatsapp/message-ids.ts';
import { makeWhatsApp } from '../whatsapp/network.ts';
import type { MainCalls, ThreadData } from './contract.ts';
import { logOfThread } from './log-relay.ts';
import { Peer } from './peer.ts';
import { serveSessions } from './sessions.ts';

const credentialsOf = (main: () => Peer<MainCalls>): SessionCredentials => ({
  loadCredentials: (deviceId) => main().call('loadCredentials', deviceId),
  readKeys: (deviceId, type, ids) => main().call('readKeys', deviceId, type, ids),
  readTogether: (deviceId, keys) => main().call('readTogether', deviceId, keys),
  readInbox: (deviceId, key) => main().call('readInbox', deviceId, key),
  commit: (deviceId, changes, epoch = null) => main().call('commit', deviceId, changes, epoch),
  clearCredentials: (deviceId, changes, epoch = null) => main().call('clearCredentials', deviceId, changes, epoch),
});

const messagesOf = (main: () => Peer<MainCalls>): MessageStore => ({
  find: (...call) => main().call('findMessage', ...call),
  list: (...call) => main().call('listMessages', ...call),
});

export const runThread = ({ sandbox, probePace, logLevel }: ThreadData): void => {
  const port = parentPort;
  if (port === null) throw new Error('This is to be run in a thread');
  let baseUrl = '';
  const main = (): Peer<MainCalls> => peer;
  const ids = new MessageIds();
  const network = makeWhatsApp({
    credentials: credentialsOf(main),
    messages: messagesOf(main),
    endpoint: sandbox === null ? realEndpoint() : sandboxEndpoint(sandbox),
    baseUrl: () => baseUrl,
    probePace,
    ids,
    clock: systemClock,
    log: logOfThread(logLevel, (line) => main().tell('log', line)),
  });
  const reachedAt = (url: string): void => {
    baseUrl = url;
  };
  const peer = new Peer<MainCalls>(port, serveSessions({ network, ids, reachedAt, main }));
  peer.tell('ready');
};
