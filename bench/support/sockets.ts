/** Baileys sockets on the sandbox network, linked by a scan. */
import { Agent } from 'node:https';
import { type AuthenticationState, Browsers, makeWASocket, WA_CERT_DETAILS } from 'baileys';
import { pino } from 'pino';

export type Socket = ReturnType<typeof makeWASocket>;

export interface Place {
  readonly socketUrl: string;
  readonly rootKey: string;
  readonly mediaCa: string;
  readonly controlUrl: string;
}

export interface Opening {
  readonly state: AuthenticationState;
  /** Null: it is linked. */
  readonly onQr: ((qr: string) => void) | null;
  readonly emitOwnEvents?: boolean;
  /** Saves the credentials after a change. */
  readonly saved?: () => Promise<void>;
}

const logger = pino({ level: 'silent' });

export const trust = ({ rootKey }: Place): void => {
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(rootKey, 'hex');
};

const scan = async ({ controlUrl }: Place, number: string, qr: string): Promise<void> => {
  const answer = await fetch(`${controlUrl}/phones/${number}/scan`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ qr }),
  });
  if (!answer.ok) throw new Error(`scan: ${answer.status} ${await answer.text()}`);
};

export const openSocket = (place: Place, opening: Opening): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { state, onQr, saved, emitOwnEvents = false } = opening;
    const socket = makeWASocket({
      waWebSocketUrl: place.socketUrl,
      auth: state,
      logger,
      browser: Browsers.ubuntu('Chrome'),
      emitOwnEvents,
      syncFullHistory: false,
      markOnlineOnConnect: false,
      getMessage: async () => undefined,
      fetchAgent: new Agent({ ca: place.mediaCa }),
    });
    socket.ev.on('creds.update', (update) => {
      Object.assign(state.creds, update);
      void saved?.();
    });
    socket.ev.on('connection.update', ({ connection, qr, lastDisconnect }) => {
      if (qr !== undefined) onQr?.(qr);
      if (connection === 'open') resolve(socket);
      if (connection !== 'close') return;
      const code = (lastDisconnect?.error as { output?: { statusCode?: number } } | undefined)?.output?.statusCode;
      // Retries after a timeout, as any client does: a thousand simultaneous logins delay each other.
      if (code === 515 || code === 408)
        openSocket(place, { ...opening, onQr: state.creds.me === undefined ? onQr : null }).then(resolve, reject);
      else reject(new Error(`closed with ${code}`));
    });
  });

/** Links a socket to the phone of the number. */
export const linkSocket = (place: Place, number: string, opening: Omit<Opening, 'onQr'>): Promise<Socket> => {
  const trouble = Promise.withResolvers<never>();
  const onQr = (qr: string) => void scan(place, number, qr).catch(trouble.reject);
  return Promise.race([openSocket(place, { ...opening, onQr }), trouble.promise]);
};
