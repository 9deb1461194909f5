/** Groups as a path names them. */
import { parseChat } from '../../domain/chats/address.ts';
import { type Jid, jidKind } from '../../domain/jid.ts';
import { invalidRequest } from '../../errors.ts';

export const parseGroup = (text: string): Jid => {
  const jid = text.includes('@') ? parseChat(text, 'group') : '';
  if (jidKind(jid) !== 'group') throw invalidRequest('group must be the JID of a group: <id>@g.us');
  return jid;
};
