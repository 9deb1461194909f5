/** The sessions of one thread, as the main thread asks for them. */
import type { Session, SessionListener, Network } from '../domain/network.ts';
import { deviceNotConnected } from '../errors.ts';
import type { MessageIds } from '../whatsapp/message-ids.ts';
import type { MainCalls, Said, SessionName, ThreadCalls } from './contract.ts';
import type { Peer } from './peer.ts';
import { OpenStreams } from './streams.ts';

interface Held {
  readonly session: Session;
  /** Resolves when the sends before have their places in the order of those that leave. */
  turn: Promise<void>;
}

export interface SessionsParts {
  readonly network: Network;
  readonly ids: MessageIds;
  /** Told where the interface is reached with every connection. */
  readonly reachedAt: (baseUrl: string) => void;
  readonly main: () => Peer<MainCalls>;
}

const listenerOf = (say: (said: Said) => void): SessionListener => ({
  pairing: (offer) => say(['pairing', offer]),
  passkey: (passkey) => say(['passkey', passkey]),
  linked: (account) => say(['linked', account]),
  open: (account) => say(['open', account]),
  restricted: (limits) => say(['restricted', limits]),
  closed: (reason) => say(['closed', reason]),
});

/** The main thread posts the sends of a device without waiting for each other: their order is kept here. */
const inTurn = async <T>(held: Held, send: (onTaken: () => void) => Promise<T>): Promise<T> => {
  const before = held.turn;
  const taken = Promise.withResolvers<void>();
  held.turn = taken.promise;
  await before;
  try {
    return await send(taken.resolve);
  } finally {
    taken.resolve();
  }
};

export const serveSessions = ({ network, ids, reachedAt, main }: SessionsParts): ThreadCalls => {
  const sessions = new Map<number, Held>();
  const streams = new OpenStreams();
  const held = ({ number, deviceId }: SessionName): Held => {
    const found = sessions.get(number);
    // It ended while the call was on its way.
    if (found === undefined) throw deviceNotConnected(deviceId);
    return found;
  };
  return {
    ping: () => {},
    connect(name, options, baseUrl) {
      reachedAt(baseUrl);
      const say = (said: Said): void => {
        if (said[0] === 'closed') sessions.delete(name.number);
        main().tell('said', name, said);
      };
      sessions.set(name.number, { session: network.connect(options, listenerOf(say)), turn: Promise.resolve() });
    },
    lookUp: (session, number) => held(session).session.lookUp(number),
    async send(session, message, untried) {
      const to = held(session);
      if (untried) ids.add(message.id);
      return (await inTurn(to, (onTaken) => to.session.send(message, onTaken))).record;
    },
    downloadMedia: async (session, message) => streams.open(await held(session).session.downloadMedia(message)),
    pull: (stream) => streams.pull(stream),
    drop: (stream) => streams.drop(stream),
    answerPasskey: (session, credential) => held(session).session.answerPasskey(credential),
    confirmPasskey: (session) => held(session).session.confirmPasskey(),
    logout: (session) => held(session).session.logout(),
    // One that is not here any more is closed, and has said so.
    close: ({ number }) => void sessions.get(number)?.session.close(),
    cut: ({ number }) => sessions.get(number)?.session.cut(),
  };
};
