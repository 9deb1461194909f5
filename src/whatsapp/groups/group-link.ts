/** The parts of a connection that acts on groups use. */
import type { KeptGroup } from '../../domain/groups/group.ts';
import type { Jid } from '../../domain/jid.ts';
import type { Link } from '../link.ts';

export type GroupLink = Pick<Link, 'deviceId' | 'sock' | 'creds' | 'lidMapping' | 'clock'> & {
  readonly keeper: Link['groupKeeper'];
  readonly tokenOf: Link['conversation']['tokenOf'];
  readonly current: (group: Jid) => Promise<KeptGroup>;
};
