/** Why a connection ended: stanzas that end it, and errors of the WebSocket. */
import { type BinaryNode, getAllBinaryNodeChildren } from '../library/nodes.ts';
import { getCodeFromWSError, getErrorCodeFromStreamError } from '../library/protocol.ts';

export class ConnectionEnded extends Error {
  /** The network's code, or one of the same meaning (`disconnect-reason.ts`). */
  readonly code: number;
  readonly details: unknown;

  constructor(message: string, code: number, details: unknown = null) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

const closed = 428;
const notMultiDevice = 411;

export const connectionClosed = (): ConnectionEnded => new ConnectionEnded('Connection Terminated', closed);

/** The network ended the stream; without a link it does so when the refs of the QR have run out. */
export const streamEnded = 'Connection Terminated by Server';

export const tooManyWaiting = (): ConnectionEnded =>
  new ConnectionEnded('More messages arrived than are held in memory', closed);

export const connectionFailed = (error: Error): ConnectionEnded =>
  new ConnectionEnded(`WebSocket Error (${error.message})`, getCodeFromWSError(error), error);

/** Stanzas with these tags end the connection; `<ib>` does with the child `downgrade_webclient`. */
export const endingTags = ['xmlstreamend', 'stream:error', 'failure'] as const;

export const endBy = (node: BinaryNode): ConnectionEnded => {
  switch (node.tag) {
    case 'xmlstreamend':
      return new ConnectionEnded(streamEnded, closed);
    case 'stream:error': {
      const { reason, statusCode } = getErrorCodeFromStreamError(node);
      return new ConnectionEnded(`Stream Errored (${reason})`, statusCode, getAllBinaryNodeChildren(node)[0] ?? node);
    }
    case 'failure':
      return new ConnectionEnded('Connection Failure', Number(node.attrs['reason'] || 500), node.attrs);
    default:
      return new ConnectionEnded('Multi-device beta not joined', notMultiDevice);
  }
};
