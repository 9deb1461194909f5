/** A phone's groups, changed through requests to the server like those of any client. */
import type { BinaryNode } from 'baileys';
import { childOf, childrenOf, element, SERVER } from '../base/nodes.ts';
import type { Account } from '../base/types.ts';
import { stanzaId } from './context/context.ts';
import type { Line } from './context/requests.ts';

export interface GroupSettings {
  readonly subject?: string;
  readonly description?: string | null;
  readonly announceOnly?: boolean;
  readonly locked?: boolean;
  readonly joinApproval?: boolean;
  readonly memberAddMode?: 'admins' | 'everyone';
  readonly picture?: Uint8Array | null;
}

export type MemberChange = 'add' | 'remove' | 'promote' | 'demote' | 'approve' | 'reject';

const jidsOf = (people: readonly Account[]): BinaryNode[] =>
  people.map(({ lid }) => element('participant', { jid: lid }));

export class PhoneGroups {
  readonly #line: Line;

  constructor(line: Line) {
    this.#line = line;
  }

  async create(subject: string, members: readonly Account[], mode: 'pn' | 'lid' = 'lid'): Promise<string> {
    const create = element('create', { subject, key: stanzaId(), addressing_mode: mode }, jidsOf(members));
    const answer = await this.#set('@g.us', create);
    const id = childOf(answer, 'group')?.attrs['id'];
    if (id === undefined) throw new Error('the server made no group');
    return id.includes('@') ? id : `${id}@g.us`;
  }

  async change(group: string, settings: GroupSettings): Promise<void> {
    const { subject, description, announceOnly, locked, joinApproval, memberAddMode, picture } = settings;
    if (subject !== undefined) await this.#set(group, element('subject', {}, Buffer.from(subject)));
    if (description !== undefined) await this.#describe(group, description);
    if (announceOnly !== undefined) await this.#set(group, element(announceOnly ? 'announcement' : 'not_announcement'));
    if (locked !== undefined) await this.#set(group, element(locked ? 'locked' : 'unlocked'));
    if (joinApproval !== undefined) {
      const state = element('group_join', { state: joinApproval ? 'on' : 'off' });
      await this.#set(group, element('membership_approval_mode', {}, [state]));
    }
    if (memberAddMode !== undefined) {
      const mode = memberAddMode === 'admins' ? 'admin_add' : 'all_member_add';
      await this.#set(group, element('member_add_mode', {}, Buffer.from(mode)));
    }
    if (picture !== undefined) {
      const attrs = { to: SERVER, target: group, type: 'set', xmlns: 'w:profile:picture' };
      const content = picture === null ? undefined : [element('picture', { type: 'image' }, picture)];
      await this.#line.ask(element('iq', attrs, content));
    }
  }

  async changeMembers(
    group: string,
    change: MemberChange,
    people: readonly Account[],
  ): Promise<readonly (string | null)[]> {
    const decides = change === 'approve' || change === 'reject';
    const action = element(change, {}, jidsOf(people));
    const answer = await this.#set(group, decides ? element('membership_requests_action', {}, [action]) : action);
    const done = childOf(decides ? childOf(answer, 'membership_requests_action') : answer, change);
    return childrenOf(done).map(({ attrs }) => attrs.error ?? null);
  }

  async invite(group: string, anew = false): Promise<string> {
    const answer = await this.#line.ask(this.#iq(group, anew ? 'set' : 'get', element('invite')));
    return childOf(answer, 'invite')?.attrs.code ?? '';
  }

  /** Joins, or requests to join; returns the group. */
  async join(code: string): Promise<{ readonly group: string; readonly waits: boolean }> {
    const answer = await this.#set('@g.us', element('invite', { code }));
    const waits = childOf(answer, 'membership_approval_request');
    return { group: (waits ?? childOf(answer, 'group'))?.attrs.jid ?? '', waits: waits !== undefined };
  }

  async accept(group: string, invite: { code: string; expiresAt: number; by: Account }): Promise<void> {
    const { code, expiresAt, by } = invite;
    await this.#set(group, element('accept', { code, expiration: String(expiresAt), admin: by.lid }));
  }

  async leave(group: string): Promise<void> {
    await this.#set('@g.us', element('leave', {}, [element('group', { id: group })]));
  }

  async #describe(group: string, text: string | null): Promise<void> {
    const query = this.#iq(group, 'get', element('query', { request: 'interactive' }));
    const before = childOf(childOf(await this.#line.ask(query), 'group'), 'description')?.attrs.id;
    const prev = before === undefined ? {} : { prev: before };
    const request =
      text === null
        ? element('description', { delete: 'true', ...prev })
        : element('description', { id: stanzaId(), ...prev }, [element('body', {}, Buffer.from(text))]);
    await this.#set(group, request);
  }

  #iq(to: string, type: 'get' | 'set', content: BinaryNode): BinaryNode {
    return element('iq', { to, type, xmlns: 'w:g2' }, [content]);
  }

  #set(to: string, content: BinaryNode): Promise<BinaryNode> {
    return this.#line.ask(this.#iq(to, 'set', content));
  }
}
