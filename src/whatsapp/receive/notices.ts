/** Notifications and calls: one handler per kind, in order and after earlier messages. Acknowledged once handled, or without a handler. */
import { type BinaryNode, buildAckStanza } from '../library/nodes.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { Earlier, StanzaSource } from '../socket/socket.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Line } from '../socket/line.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';

export interface NoticesParts {
  readonly sock: StanzaSource;
  readonly line: Pick<Line, 'sendInPassing'>;
  readonly creds: Pick<AuthenticationCreds, 'me'>;
  readonly lidMapping: Pick<LidMapping, 'learn'>;
  readonly earlier: Earlier;
  readonly onFailure: (error: unknown) => void;
  readonly log: Logger;
}

type Handle = (node: BinaryNode) => unknown;

interface Options {
  /** Slow; does not delay later ones. */
  readonly beside?: boolean;
  /** A failure ends the connection, so that it is redelivered. Others are logged and acknowledged. */
  readonly strict?: boolean;
}

const call = 'call';

export class Notices {
  readonly #parts: NoticesParts;
  readonly #handlers = new Map<string, Options & { readonly handle: Handle }>();
  #tail: Promise<unknown> = Promise.resolve();

  constructor(parts: NoticesParts) {
    this.#parts = parts;
    for (const tag of ['notification', call]) parts.sock.stanzas.on(tag, (node) => this.#take(node));
  }

  on(type: string, handle: Handle, options: Options = {}): void {
    if (this.#handlers.has(type)) throw new Error(`Notices of type ${type} have a handler`);
    this.#handlers.set(type, { handle, ...options });
  }

  #take(node: BinaryNode): void {
    const { creds, earlier, onFailure } = this.#parts;
    if (creds.me === undefined) return;
    const before = earlier();
    const isBeside = this.#handlers.get(kindOf(node))?.beside === true;
    const done = (isBeside ? Promise.resolve() : this.#tail)
      .then(() => before)
      .then(() => this.#handle(node))
      .catch(onFailure);
    if (!isBeside) this.#tail = done;
  }

  async #handle(node: BinaryNode): Promise<void> {
    const { sock, line, lidMapping, log } = this.#parts;
    if (!sock.isOpen) return;
    const { handle, strict = false } = this.#handlers.get(kindOf(node)) ?? {};
    try {
      await lidMapping.learn(node);
      await handle?.(node);
    } catch (error) {
      if (strict) throw error;
      log.warn({ kind: kindOf(node), error: messageOf(error) }, 'failed to handle a notice');
    }
    if (sock.isOpen) line.sendInPassing([buildAckStanza(node)]);
  }
}

const kindOf = ({ tag, attrs }: BinaryNode): string => (tag === call ? call : (attrs.type ?? ''));
