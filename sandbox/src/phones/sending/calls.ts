/** Calls of a phone: ringing, hanging up and incoming calls. Signalling only, without voice. */
import { element } from '../../base/nodes.ts';
import type { BinaryNode } from 'baileys';
import { isGroup, resolve } from '../context/address.ts';
import { type PhoneCall, type PhoneContext, callId, stanzaId } from '../context/context.ts';
import { conflict, notFound } from '../../base/errors.ts';

export class Calls {
  readonly #phone: PhoneContext;

  constructor(phone: PhoneContext) {
    this.#phone = phone;
  }

  list(): readonly PhoneCall[] {
    return [...this.#phone.calls.entries()].map(([, call]) => call);
  }

  find(id: string): PhoneCall | null {
    return this.#phone.calls.get(id) ?? null;
  }

  ring(to: string, video: boolean): string {
    const { hub, account, line, calls, changed } = this.#phone;
    const callee = isGroup(to) ? null : resolve(hub, to);
    if (callee === null) throw notFound(`there is no account ${to}`);
    if (!line.isOpen) throw conflict('the phone is offline');
    const id = callId();
    calls.set(id, { id, from: account.jid, fromMe: true, to: callee.account.jid, video, state: 'offer' });
    this.#tell(callee.account.lid, {
      tag: 'offer',
      attrs: {
        'call-id': id,
        'call-creator': account.lid,
        ...(!account.hidesNumber && { caller_pn: account.jid }),
      },
      content: [element('audio', { enc: 'opus', rate: '16000' }), ...(video ? [element('video', { enc: 'vp8' })] : [])],
    });
    changed();
    return id;
  }

  /** False if there is no such call. */
  end(id: string, reason: 'hangup' | 'timeout'): boolean {
    const { hub, account, calls, changed } = this.#phone;
    const call = calls.get(id);
    const callee = call?.to ? hub.findAccount(call.to) : null;
    if (call === undefined || callee === null) return false;
    if (call.state === 'terminate') return true;
    calls.set(id, { ...call, state: 'terminate' });
    this.#tell(callee.lid, {
      tag: 'terminate',
      attrs: { 'call-id': id, 'call-creator': account.lid, reason },
    });
    changed();
    return true;
  }

  #tell(to: string, action: BinaryNode): void {
    const { hub, account, line } = this.#phone;
    line.tell({ tag: 'call', attrs: { id: stanzaId(), to: hub.wireJid(account, to) }, content: [action] });
  }
}
