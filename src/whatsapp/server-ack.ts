/** Waits for the network's acknowledgement of a message. */
import type { BinaryNode } from 'baileys';
import { SendOutcomeUnknown } from '../errors.ts';
import type { Link } from './link.ts';

/** The network has refused the message: it certainly went nowhere. */
export class SendRefused extends Error {
  readonly code: string;
  constructor(code: string) {
    super(`${refusals[code] ?? 'the network refused the message'} (error ${code})`);
    this.code = code;
  }
}

const refusals: Readonly<Record<string, string>> = {
  400: 'the network did not understand the message',
  401: 'the account may not write to this chat',
  403: 'the account may not write to this chat',
  404: 'the chat does not exist',
  405: 'the account may not write to this chat',
  406: 'the network does not accept this message',
  421: 'the devices of the chat have changed meanwhile',
  429: 'the network asks to send less often',
  463: 'the account is restricted for now and may not begin new chats',
  475: 'the account is restricted for now',
  479: 'the network found the message malformed, mostly for a device that is no longer there',
  500: 'the network reported an internal error',
  503: 'the network is unavailable for now',
};

export interface AckWait {
  /** Rejects with SendRefused or SendOutcomeUnknown. */
  readonly acked: Promise<void>;
  stop(): void;
}

/** To be called before the message is sent, so that no answer is missed. */
export const awaitAck = ({ sock, whenEnded }: Link, messageId: string, timeoutMs: number): AckWait => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const event = `CB:ack,id:${messageId}`;
  const onAck = ({ attrs }: BinaryNode): void => {
    if (attrs.class !== undefined && attrs.class !== 'message') return;
    if (attrs.error === undefined) resolve();
    else reject(new SendRefused(attrs.error));
  };
  const onEnd = (): void => reject(new SendOutcomeUnknown('the connection was lost before the network answered'));
  const timer = setTimeout(() => reject(new SendOutcomeUnknown('the network did not answer in time')), timeoutMs);
  sock.ws.on(event, onAck);
  whenEnded.add(onEnd);
  promise.catch(() => {}); // nobody may be waiting when sending itself has failed
  return {
    acked: promise,
    stop() {
      clearTimeout(timer);
      sock.ws.off(event, onAck);
      whenEnded.delete(onEnd);
    },
  };
};
